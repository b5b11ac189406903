// Everything that the library throws, but for an abort, which is the caller's own reason. A program decides by `code`,
// or by class where it needs more than the code; messages are for people and may change.

export type ClientErrorCode =
  /** The issuer's metadata is not what RFC 8414 asks for, or is another issuer's. */
  | 'issuer_mismatch'
  /**
   * Nobody answered: no network, no name, a certificate that is not trusted, an origin that may not read the answer.
   */
  | 'unreachable'
  | 'timed_out'
  /** An answer without what the standard requires in it. */
  | 'malformed_answer'
  /** The call cannot be made like this. */
  | 'wrong_use'
  /** An OAuth endpoint said no; `OAuthRefusal` has the words. */
  | 'refused'
  /** 429 or 503, from an OAuth endpoint or from the API; `retryAfterSeconds` says when. */
  | 'try_later'
  /** The person has to sign in again: nothing is held for them, or it was ended. */
  | 'sign_in_required'
  /** The answer at the redirect URI is not the answer to this request (RFC 6749 §10.12, RFC 9207). */
  | 'not_this_request'
  /** The ID token is not for this client and this request. */
  | 'id_token_invalid'
  | 'device_expired'
  | 'device_denied'
  /** 401, also with a token that was new. */
  | 'unauthorized'
  /** 401, and the body was a stream, which cannot be sent a second time. */
  | 'body_not_repeatable'
  | 'insufficient_scope'
  /**
   * 401: the token is good, and the person's sign-in is too old or too weak (RFC 9470). Another token does not help.
   */
  | 'insufficient_user_authentication'
  /** The address is of no origin that may get the token. */
  | 'foreign_origin'
  /** The API answered with a redirect, which is never followed with a token. */
  | 'redirect_refused'

/** The root of them all. */
export class ClientError extends Error {
  readonly code: ClientErrorCode
  /** For `try_later`: whole seconds to wait, when the server said how many. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ClientErrorCode, message: string, options: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = new.target.name
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** What an OAuth endpoint says in a refusal (RFC 6749 §5.2, §4.1.2.1). */
export interface OAuthAnswer {
  /** HTTP status; 302 for a refusal that came to the redirect URI. */
  status: number
  error: string
  description?: string
  errorUri?: string
  suberror?: string
  /** Where an administrator can give what is missing. */
  consentUri?: string
  /** Names the request in the server's log. */
  requestId?: string
  retryAfterSeconds?: number
}

/** An OAuth endpoint refused: `code` is `refused`, or `try_later` for 429 and 503. */
export class OAuthRefusal extends ClientError {
  readonly answer: OAuthAnswer

  constructor(answer: OAuthAnswer) {
    const code = answer.status === 429 || answer.status === 503 ? 'try_later' : 'refused'
    super(code, answer.description ?? answer.error, answer)
    this.answer = answer
  }

  /** The standard's own word: `invalid_client`, `invalid_scope` … */
  get error(): string {
    return this.answer.error
  }
}

/** The API refused a call: `unauthorized`, `try_later`, `body_not_repeatable`, `redirect_refused`. */
export class ResourceRefusal extends ClientError {
  /** As it came; its body may still be read, unless this is an `InsufficientScope`. */
  readonly response: Response

  constructor(
    code: ClientErrorCode,
    message: string,
    response: Response,
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(code, message, options)
    this.response = response
  }
}

/**
 * 403: the token is good, and has not the permission (RFC 6750 §3.1). Says what is missing and where it can be given.
 */
export class InsufficientScope extends ResourceRefusal {
  /** `status`: how far it got, such as `not_configured`, `not_consented`, `not_requested`; absent when nobody said. */
  readonly permission: { id: string; kind?: string; resource?: string; status?: string }
  readonly consentUri: string | undefined

  constructor(
    message: string,
    response: Response,
    details: { permission: InsufficientScope['permission']; consentUri: string | undefined },
  ) {
    super('insufficient_scope', message, response)
    this.permission = details.permission
    this.consentUri = details.consentUri
  }
}
