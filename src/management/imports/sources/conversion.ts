// What a converter makes of somebody else's file: registrations in our words, and everything that has no place in them.

/** Something that was not carried over: which field of the source, and why or what instead. Never its value. */
export interface Note {
  field: string
  message: string
}

/** A permission as the source names it. */
export interface RequestedPermission {
  /** The name to look for here. */
  name: string
  /** Other ways to write it in a map, such as with the resource before it. */
  aliases: string[]
  /** As what the source gives it. */
  kinds: readonly ('application' | 'delegated')[]
}

/** One registration to be. */
export interface Imported {
  /** Its identifier at the source; it gets new ones here. */
  sourceId: string
  name: string
  type: 'web' | 'native'
  audience: 'home' | 'any'
  disabled: boolean
  redirectUris: string[]
  logoutRedirectUris: string[]
  requirePkce: boolean
  /** A JWK Set, as the source has it. */
  jwks: unknown
  /** Whether it proves itself by those keys (private_key_jwt); else they only stand beside its method. */
  provesByKey: boolean
  idTokenAlg: 'RS256' | 'ES256' | 'EdDSA' | undefined
  publisher: string
  permissions: RequestedPermission[]
  notes: Note[]
}

export interface Conversion {
  imported: Imported[]
  /** What is no application that could be registered here. */
  left: { sourceId: string; why: string }[]
}

/** A conversion on its way: it stops after each application, so that others can have their turn. */
export type Converting = Generator<undefined, Conversion>

/** What all sources have in their own words. */
export const reasons = {
  implicit: 'the implicit flow is not served: the application uses authorization code with PKCE',
  password: 'the password grant is not served: people sign in on pages of this server',
  secret: 'secrets cannot be carried: a new registration gets a new one',
  keysByUrl:
    'keys are not fetched from an address: save them and use app set --auth-method private_key_jwt --jwks FILE',
  certificates: 'register its public keys: app set --auth-method private_key_jwt --jwks FILE',
  noCounterpart: 'has no counterpart here',
} as const

/** Words of OpenID Connect and of the two products: there is nothing to be permitted. */
export const signInWords: ReadonlySet<string> = new Set([
  ...['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'offline'],
])
