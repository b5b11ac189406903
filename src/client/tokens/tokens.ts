// What the token endpoint gives, as the library hands it on.

import type { Mark } from '../surroundings.js'

export interface AccessToken {
  accessToken: string
  /** What it is for, when that is not what was requested (RFC 6749 §5.1). */
  scope?: string
  /** Epoch milliseconds by this machine's clock; what is served is decided by elapsed time, not by this. */
  expiresAt: number
}

/** An answer of the token endpoint for a person. */
export interface Tokens extends AccessToken {
  refreshToken?: string
  idToken?: string
  /** The claims of the ID token, checked. */
  claims?: Readonly<Record<string, unknown>>
}

/** As it came: `lifetimeMs` counts from `requestedAt`, before which the token cannot have been made. */
export interface IssuedTokens {
  tokens: Tokens
  requestedAt: Mark
  lifetimeMs: number
}

/** Somebody's access token, whenever it is requested. */
export interface TokenSource {
  /** Throws OAuthRefusal, ClientError; the signal's reason for this caller alone. */
  token(options?: { signal?: AbortSignal | undefined }): Promise<AccessToken>
  /**
   * Says that a resource refused this token, so that the next `token()` gets another one. False when one was got for
   * such a reason a moment ago: then it is not the token that is wrong.
   */
  reject(accessToken: string): boolean
}
