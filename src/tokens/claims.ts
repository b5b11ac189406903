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

/**
 * Who acts for the person of `sub` (RFC 8693 §4.1): the application that calls, and inside it the one whose call it
 * serves.
 */
export interface Actor {
  sub: string
  act?: Actor
}

/** A token that another one was exchanged for: what can end it. Person, tenant and grant are the same for both. */
export interface ParentToken {
  client_id: string
  jti: string
  cid: string
  seq: number
  /** Of the key that signed it. */
  kid: string
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
  /** Exchanged tokens only. */
  act?: Actor
  /** Exchanged tokens only: what they came from, the latest first. */
  via?: readonly ParentToken[]
}

/**
 * The access token of the call that an assertion was made for, as far as an exchange of the assertion needs it
 * (decision 154). Its person, tenant and application are the assertion's.
 */
export interface CallToken extends Omit<ParentToken, 'client_id'> {
  /** The resource. */
  aud: string
  gid: string
  /** Epoch seconds. */
  exp: number
  via?: readonly ParentToken[]
}

/**
 * What the gate tells an upstream about the caller, in a signed JWT of its own type and key; lives a minute. `aud` is
 * the upstream's name, `scope` only the permissions that this route needed.
 */
export interface AssertionClaims extends CallerClaims {
  /** On calls on behalf of a person. */
  act?: Actor
  /** Where the resource can be called on from: only there, and only on calls on behalf of a person. */
  token?: CallToken
}
