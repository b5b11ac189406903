// An issuer outside whose access tokens routes may take, as the other rooms see it: checked, in base units.

import type { Position } from '../read/position.js'

export interface IssuerSettings {
  /** What routes call it, and what stands before everything that its tokens name. */
  name: string
  /** The exact `iss`. */
  issuer: string
  /** The exact `aud`; one of these must be among those of the token. */
  audiences: readonly string[]
  /** Pinned keys, or where they are published; undefined: where the issuer's discovery document says. */
  keys: { jwks: { keys: readonly object[] } } | { url: string | undefined }
  algorithms: readonly ('RS256' | 'ES256' | 'PS256' | 'EdDSA')[]
  /** The `typ` that a token must have, in lower case; undefined: `JWT`, `at+jwt` or none. */
  typ: string | undefined
  leewaySeconds: number
  /** Claims that name the client and the person. */
  applicationClaim: string
  userClaim: string
  /** A token is the application's own, or a person's; or the application's own where a claim has this value. */
  acts: 'application' | 'user' | { claim: string; equals: string }
  /** In which tenant of ours: one for all, or by the value of a claim. */
  tenant: string | { claim: string; values: ReadonlyMap<string, string> }
  /** By claim and value: the permissions of `resource` that it stands for. What stands nowhere gives nothing. */
  permissions: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>
  /** The id of the resource whose routes it may open. */
  resource: string
  position: Position
}
