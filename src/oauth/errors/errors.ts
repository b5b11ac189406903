// The refusals of the OAuth endpoints (RFC 6749 §5.2, RFC 7009 §2.2.1, RFC 8707 §2) and of the bearer check (RFC 6750
// §3). An error carries what is safe to send; everything else belongs in `cause`, for the log.

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'temporarily_unavailable'
  | 'server_error'
  | AuthorizationErrorCode
  | DeviceErrorCode
  | UserinfoErrorCode
  | RegistrationErrorCode

/** Only ever the answer to a registration (RFC 7591 §3.2.2). */
type RegistrationErrorCode = 'invalid_redirect_uri' | 'invalid_client_metadata' | 'unapproved_software_statement'

/** From userinfo and registration (RFC 6750 §3.1). */
type UserinfoErrorCode = 'invalid_token' | 'insufficient_scope'

/** Only ever sent by a redirect (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
type AuthorizationErrorCode =
  | 'access_denied'
  | 'unsupported_response_type'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'unmet_authentication_requirements'
  | 'request_not_supported'
  | 'request_uri_not_supported'

/** Only ever the answer to a device code (RFC 8628 §3.5). */
type DeviceErrorCode = 'authorization_pending' | 'slow_down' | 'expired_token'

/** HTTP status by code (contract §3); a thrower may name a more telling one: 405, 413, 415, 429. */
const oauthErrorStatus: Readonly<Record<OAuthErrorCode, number>> = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  temporarily_unavailable: 503,
  server_error: 500,
  invalid_token: 401,
  insufficient_scope: 403,
  access_denied: 400,
  unsupported_response_type: 400,
  login_required: 400,
  consent_required: 400,
  interaction_required: 400,
  unmet_authentication_requirements: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  unapproved_software_statement: 400,
}

export interface OAuthErrorDetails {
  /** The number that developers search for, `error_codes[0]`; explained under /errors/<number>. */
  number: number
  status?: number
  suberror?: string
  consentUri?: string
  /** Seconds, for Retry-After. */
  retryAfterSeconds?: number
  /** Response fields that belong to this refusal, such as Allow. */
  headers?: readonly (readonly [name: string, value: string])[]
  cause?: unknown
}

/**
 * A refusal of an OAuth endpoint. `description` is sent: only %x20-21 / %x23-5B / %x5D-7E survive, and no input is
 * echoed raw.
 */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly description: string
  readonly number: number
  readonly status: number
  readonly suberror: string | undefined
  readonly consentUri: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]

  constructor(code: OAuthErrorCode, description: string, details: OAuthErrorDetails) {
    super(description, { cause: details.cause })
    this.name = 'OAuthError'
    this.code = code
    this.description = description.replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?')
    this.number = details.number
    this.status = details.status ?? oauthErrorStatus[code]
    this.suberror = details.suberror
    this.consentUri = details.consentUri
    this.retryAfterSeconds = details.retryAfterSeconds
    this.headers = details.headers ?? []
  }
}

/**
 * `no_token` is answered without an `error` parameter (RFC 6750 §3.1); `insufficient_scope` is written from the
 * decision.
 */
export type BearerErrorCode = 'no_token' | 'invalid_request' | 'invalid_token'

/**
 * A request whose bearer token is absent, malformed or not valid. `reason` is a stable id for log and metric, never
 * sent.
 */
export class BearerError extends Error {
  readonly code: BearerErrorCode
  readonly reason: string

  constructor(code: BearerErrorCode, reason: string, description: string, cause?: unknown) {
    super(description, { cause })
    this.name = 'BearerError'
    this.code = code
    this.reason = reason
  }
}
