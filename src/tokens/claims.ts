// What an access token says (RFC 9068, contract §3), and what the assertion to an upstream says. Types only.

/**
 * `application`: the client acts as itself, permissions in `roles`. `user`: it acts for a user, permissions in `scope`.
 */
export type TokenKind = 'app' | 'user'

interface CallerClaims {
  iss: string
  aud: string
  sub: string
  client_id: string
  iat: number
  exp: number
  jti: string
  /** Tenant. */
  tid: string
  idtyp: TokenKind
  /** Space separated plain permission ids. */
  scope: string
}

export interface AccessTokenClaims extends CallerClaims {
  nbf: number
  /** App tokens only: the same ids. */
  roles?: readonly string[]
  /** User tokens only: the grant. */
  gid?: string
  /**
   * Read back only: the URL that stands as `client_id` in the token of a client that nobody registered; `client_id` is
   * then the application that it means in the tenant (decision 152).
   */
  client_url?: string
  /** Key id of the credential that the client used. */
  cid: string
  /** The change number that the issuer's view stood at. */
  seq: number
  auth_time?: number
  acr?: string
  amr?: readonly string[]
}

/**
 * What the gate tells an upstream about the caller, in a signed JWT of its own type and key; lives a minute. `aud` is
 * the upstream's name, `scope` only the permissions that this route needed.
 */
export type AssertionClaims = CallerClaims
