// How and when the person of a grant proved who they are, and what the ID token repeats of the request (OpenID Connect
// Core §2, §5.5). Kept as JSON with the grant.

import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** Claims that were requested by name (OpenID Connect Core §5.5), as far as the person consented to them. */
const NamedClaims = Type.Array(Type.String())

const GrantAuthentication = Type.Object({
  nonce: Type.Optional(Type.String()),
  /** Epoch seconds. */
  authTime: Type.Integer(),
  acr: Type.String(),
  amr: Type.Array(Type.String()),
  claims: Type.Optional(Type.Object({ idToken: NamedClaims, userinfo: NamedClaims })),
})
export interface GrantAuthentication {
  /** Comes back in the first ID token (§3.1.2.1). */
  nonce?: string | undefined
  /** What the session says: when (epoch seconds) and how the person signed in. */
  session: { authTime: number; acr: string; amr: readonly string[] }
  /**
   * The names of the claims that `claims` requested, apart from what the scope says: only those whose consent was
   * given.
   */
  claims?: { idToken: readonly string[]; userinfo: readonly string[] } | undefined
}

const validator = Compile(GrantAuthentication)

/** The JSON of the row. */
export function writeAuthentication({ nonce, session, claims }: GrantAuthentication): string {
  const { authTime, acr, amr } = session
  return JSON.stringify({ nonce, authTime, acr, amr, claims })
}

/** Reads the JSON of a row. Throws TypeError for anything that this program does not write. */
export function readAuthentication(text: string): GrantAuthentication {
  const value: unknown = JSON.parse(text)
  if (!validator.Check(value)) throw new TypeError('a grant has an authentication that cannot be read')
  const { nonce, authTime, acr, amr, claims } = value as Static<typeof GrantAuthentication>
  return { nonce, session: { authTime, acr, amr }, claims }
}
