// What the management API takes and answers: the single source for validation, for the answers' allow-list and for the
// types of its callers. Requests refuse unknown fields; answers send only what is listed here, so no hash, pepper or
// private key can slip out. Times on the wire are RFC 3339 in UTC.

import { type Static, Type } from 'typebox'
import { statusSchema } from './server/status-schema.js'

const strict = { additionalProperties: false }
const kind = Type.Enum(['application', 'delegated'])
const state = Type.Enum(['enabled', 'disabled'])
/** Bounded here; what a name may contain is decided in directory/applications/names.ts. */
const name = Type.String({ maxLength: 512 })
/** An identifier that is looked up; what it really may look like is decided where it is looked up. */
const reference = Type.String({ minLength: 1, maxLength: 256 })
const uris = Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 100 })
/** Absent resource: our own API. */
const permissionInput = Type.Object({ kind, resource: Type.Optional(reference), id: reference }, strict)
const permissionInputs = Type.Array(permissionInput, { maxItems: 200 })
const permission = Type.Object({ kind, resource: Type.String(), id: Type.String() })
const authMethod = Type.Enum(['secret', 'private_key_jwt', 'federated'])
const idTokenAlg = Type.Enum(['RS256', 'ES256', 'EdDSA'])
/** Bounded here; which keys may be registered is decided in directory/credentials/client-keys.ts. */
const jwksInput = Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 10 }) })
/** What a registration says beyond its name and lists. `verified` is the operator's word on the publisher. */
const options = {
  requirePkce: Type.Optional(Type.Boolean()),
  authMethod: Type.Optional(authMethod),
  idTokenAlg: Type.Optional(idTokenAlg),
  publisher: Type.Optional(name),
  verified: Type.Optional(Type.Boolean()),
  deviceCodes: Type.Optional(Type.Enum(['allowed', 'off'])),
}
const userConsent = Type.Enum(['allowed', 'verified', 'administrators'])
const deviceCodes = Type.Enum(['allowed', 'off'])
const administrators = Type.Enum(['any', 'secondFactor'])
/** The least role that needs a second factor. */
const secondFactor = Type.Enum(['none', 'owner', 'administrator', 'developer', 'member'])
/** Who signs in with a password or a passkey of this server. */
const ownSignIn = Type.Enum(['allowed', 'owners'])
/** Names of providers; null: all that the server has. */
const signInProviders = Type.Union([
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 64 }),
  Type.Null(),
])
/** Hosts whose clients people may use though nobody registered them; null: all that the server takes. */
const clientHosts = Type.Union([
  Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,252}$' }), { maxItems: 64 }),
  Type.Null(),
])
const role = Type.Enum(['owner', 'administrator', 'developer', 'member'])

/** The request bodies, by operation. */
export const bodies = {
  createApplication: Type.Object(
    {
      name,
      type: Type.Enum(['web', 'native']),
      /** Absent: the oldest tenant. */
      tenantId: Type.Optional(reference),
      audience: Type.Optional(Type.Enum(['home', 'any'])),
      redirectUris: Type.Optional(uris),
      adminConsentRedirectUris: Type.Optional(uris),
      logoutRedirectUris: Type.Optional(uris),
      ...options,
      jwks: Type.Optional(jwksInput),
      permissions: Type.Optional(permissionInputs),
      /** True: consent to all of `permissions` in the home tenant at once. */
      consent: Type.Optional(Type.Boolean()),
      /** A plan that this caller may choose. Absent: the default one. */
      plan: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      secretLabel: Type.Optional(name),
      secretExpiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 730 })),
      /** True: refused with 409 when an application of the tenant has exactly this name. */
      ifNameIsFree: Type.Optional(Type.Boolean()),
    },
    strict,
  ),
  changeApplication: Type.Object(
    {
      name: Type.Optional(name),
      state: Type.Optional(state),
      redirectUris: Type.Optional(uris),
      adminConsentRedirectUris: Type.Optional(uris),
      logoutRedirectUris: Type.Optional(uris),
      ...options,
      /** Null removes the keys. */
      jwks: Type.Optional(Type.Union([jwksInput, Type.Null()])),
    },
    { ...strict, minProperties: 1 },
  ),
  addSecret: Type.Object(
    {
      label: Type.Optional(name),
      expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 730 })),
      /** True: the secrets that live now end when the overlap is over. */
      rotate: Type.Optional(Type.Boolean()),
      /** Only with rotate; default 0: the old ones, and the tokens got with them, end at once. At most 30 days. */
      overlapSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_592_000 })),
    },
    strict,
  ),
  configurePermissions: Type.Object({ permissions: permissionInputs }, strict),
  grantConsent: Type.Object(
    {
      /** Absent: the home tenant. */
      tenantId: Type.Optional(reference),
      /** Absent or `all`: everything that is configured. */
      permissions: Type.Optional(Type.Union([permissionInputs, Type.Literal('all')])),
    },
    strict,
  ),
  issueToken: Type.Object(
    { scope: Type.Optional(Type.String({ maxLength: 4096 })), tenantId: Type.Optional(reference) },
    strict,
  ),
  createTenant: Type.Object({ name }, strict),
  changeTenant: Type.Object(
    {
      name: Type.Optional(name),
      state: Type.Optional(state),
      userConsent: Type.Optional(userConsent),
      deviceCodes: Type.Optional(deviceCodes),
      administrators: Type.Optional(administrators),
      secondFactor: Type.Optional(secondFactor),
      ownSignIn: Type.Optional(ownSignIn),
      signInProviders: Type.Optional(signInProviders),
      clientHosts: Type.Optional(clientHosts),
    },
    { ...strict, minProperties: 1 },
  ),
  /** `token` takes the token itself or, as `id`, its jti; a credential's id is its key id, and the secret ends too. */
  revoke: Type.Object(
    {
      what: Type.Enum(['token', 'credential', 'application', 'tenant']),
      id: Type.Optional(reference),
      token: Type.Optional(Type.String({ minLength: 1, maxLength: 8192 })),
    },
    strict,
  ),
  rotateKeys: Type.Object(
    { purpose: Type.Optional(Type.Enum(['token', 'assertion'])), immediately: Type.Optional(Type.Boolean()) },
    strict,
  ),
}

const time = Type.String()
const secret = Type.Object({
  keyId: Type.String(),
  label: Type.String(),
  hint: Type.String(),
  startsAt: time,
  endsAt: time,
  lastUsedAt: Type.Union([time, Type.Null()]),
  createdAt: time,
  /** Ended, or nobody has used it for a while and another one has taken its place. */
  safeToDelete: Type.Boolean(),
})
const consent = Type.Object({
  tenantId: Type.String(),
  permissions: Type.Array(Type.Object({ ...permission.properties, grantedAt: time, grantedBy: Type.String() })),
})
const summary = {
  applicationId: Type.String(),
  publicKey: Type.String(),
  tenantId: Type.String(),
  name: Type.String(),
  type: Type.Enum(['web', 'native']),
  state,
  audience: Type.Enum(['home', 'any']),
  createdAt: time,
  updatedAt: time,
}
const detail = {
  ...summary,
  requirePkce: Type.Boolean(),
  authMethod,
  /** Public keys as they are stored; null: none. */
  jwks: Type.Union([Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.String())) }), Type.Null()]),
  idTokenAlg,
  publisher: Type.String(),
  verified: Type.Boolean(),
  deviceCodes: Type.Enum(['allowed', 'off']),
  secrets: Type.Array(secret),
  redirectUris: Type.Array(Type.String()),
  adminConsentRedirectUris: Type.Array(Type.String()),
  logoutRedirectUris: Type.Array(Type.String()),
  permissions: Type.Array(permission),
  consents: Type.Array(consent),
  /** The ids of who owns it, the oldest first; see `GET /applications/{id}/owners`. */
  owners: Type.Array(Type.String()),
  /** What was said about its plan; null: nothing, so the default one counts. See `GET /applications/{id}/plan`. */
  plan: Type.Union([Type.String(), Type.Null()]),
}
const newSecret = { keyId: Type.String(), endsAt: time }
const tenant = Type.Object({
  tenantId: Type.String(),
  name: Type.String(),
  state,
  userConsent,
  deviceCodes,
  administrators,
  secondFactor,
  /** The roles that need one there, by the tenant or by the server. */
  secondFactorRoles: Type.Array(role),
  ownSignIn,
  clientHosts,
  signInProviders,
  /** Of `signInProviders`, those that the configuration has no more. */
  missingProviders: Type.Array(Type.String()),
  /** Nobody but owners has a way to sign in that is left of these. */
  onlyOwners: Type.Boolean(),
  createdAt: time,
})
const key = Type.Object({
  kid: Type.String(),
  purpose: Type.Enum(['token', 'assertion']),
  alg: Type.String(),
  state: Type.Enum(['pending', 'active', 'retiring', 'removed']),
  createdAt: time,
  activatesAt: time,
  removesAt: Type.Union([time, Type.Null()]),
})

/** The answers, by what they describe. A list is `{value: […]}`, with `nextLink` when there is more. */
export const answers = {
  application: Type.Object(detail),
  /** `clientSecret` is here and nowhere else, once; native applications have none. */
  createdApplication: Type.Object({
    ...detail,
    clientSecret: Type.Optional(Type.String()),
    secret: Type.Optional(Type.Object(newSecret)),
  }),
  applications: Type.Object({ value: Type.Array(Type.Object(summary)), nextLink: Type.Optional(Type.String()) }),
  addedSecret: Type.Object({ ...newSecret, clientSecret: Type.String() }),
  token: Type.Object({
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer(),
    scope: Type.Optional(Type.String()),
  }),
  tenant,
  tenants: Type.Object({ value: Type.Array(tenant), nextLink: Type.Optional(Type.String()) }),
  /** The change number at which the revocation took effect. */
  revoked: Type.Object({ seq: Type.Integer() }),
  keys: Type.Object({ value: Type.Array(key) }),
  permissions: Type.Object({
    value: Type.Array(
      Type.Object({
        id: Type.String(),
        resource: Type.String(),
        kinds: Type.Array(kind),
        /** In the language of the server. */
        description: Type.String(),
        /** The same in other languages, by their tags. */
        descriptions: Type.Optional(Type.Record(Type.String(), Type.String())),
        adminConsent: Type.Boolean(),
        covers: Type.Array(Type.String()),
      }),
    ),
  }),
  status: statusSchema,
}

/** A request body by its operation, such as `Body<'createApplication'>`. */
export type Body<Operation extends keyof typeof bodies> = Static<(typeof bodies)[Operation]>

/** An answer by what it describes, such as `Answer<'application'>`. */
export type Answer<Subject extends keyof typeof answers> = Static<(typeof answers)[Subject]>
