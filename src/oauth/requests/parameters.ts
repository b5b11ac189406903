// The parameters of an OAuth request (RFC 6749 §3.1, §3.2): an empty value counts as absent, unknown ones are ignored,
// a known one must not come twice, and nothing that is secret may come in the URL.

import { errorNumber } from '../errors/error-numbers.js'
import { OAuthError } from '../errors/errors.js'
import { decodeForm } from './form-decoding.js'

/** Far more than any request needs; the rest of a flood is not looked at. */
const mostParameters = 256

/**
 * Parameters that a request to a token, revocation or introspection endpoint may carry once. `resource` is not among
 * them.
 */
const once = new Set([
  'actor_token',
  'actor_token_type',
  'assertion',
  'audience',
  'client-request-id',
  'client_assertion',
  'client_assertion_type',
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'device_code',
  'grant_type',
  'password',
  'redirect_uri',
  'refresh_token',
  'requested_enrollment',
  'requested_scopes',
  'requested_token_type',
  'scope',
  'subject_token',
  'subject_token_type',
  'tenant',
  'token',
  'token_type_hint',
  'username',
])

/** What must never stand in a URL, where logs, histories and Referer headers keep it. */
const secrets = new Set([
  'access_token',
  'actor_token',
  'assertion',
  'client_assertion',
  'client_secret',
  'code',
  'code_verifier',
  'device_code',
  'id_token',
  'password',
  'refresh_token',
  'subject_token',
  'token',
])

export interface RequestParameters {
  /** The value of a known parameter; undefined when it is absent or empty. */
  get(name: string): string | undefined
  /** The distinct non-empty values of `resource`, the one parameter that may come more than once (RFC 8707 §2). */
  readonly resources: readonly string[]
}

/** Reads a form-encoded body. Throws OAuthError `invalid_request` when it is malformed or repeats a known parameter. */
export function readParameters(body: string): RequestParameters {
  return readKnownParameters(body, once, 'body')
}

/**
 * Reads form-encoded text, `what` it is called in a refusal: the parameters that `known` names, and `resource`. Throws
 * OAuthError `invalid_request` when it is malformed or repeats one of `known`.
 */
export function readKnownParameters(
  text: string,
  known: ReadonlySet<string>,
  what: 'body' | 'request',
): RequestParameters {
  const pairs = decodeForm(text)
  if (pairs === undefined || pairs.length > mostParameters) {
    throw new OAuthError('invalid_request', `The ${what} is not form-encoded UTF-8 or has too many parameters.`, {
      number: errorNumber.malformedRequest,
    })
  }
  const values = new Map<string, string>()
  const resources = new Set<string>()
  for (const [name, value] of pairs) {
    if (name === 'resource' && value !== '') resources.add(value)
    if (!known.has(name)) continue
    // An empty one counts here: a parameter that comes twice is ambiguous, whichever of the two a proxy has read.
    if (values.has(name)) {
      throw new OAuthError('invalid_request', `The parameter ${name} was sent more than once.`, {
        number: errorNumber.invalidParameter,
      })
    }
    values.set(name, value)
  }
  return { get: (name) => values.get(name) || undefined, resources: [...resources] }
}

/** Throws OAuthError `invalid_request` when the query (without `?`) carries a secret, a code, a verifier or a token. */
export function checkNoSecretsInQuery(query: string | undefined): void {
  if (query === undefined || query === '') return
  for (const name of new URLSearchParams(query).keys()) {
    if (!secrets.has(name.toLowerCase())) continue
    throw new OAuthError('invalid_request', 'A secret, code or token must not be sent in the URL.', {
      number: errorNumber.invalidParameter,
    })
  }
}

/** The value of a parameter that has to be there. Throws OAuthError `invalid_request` (900144) when it is not. */
export function requireParameter(parameters: RequestParameters, name: string): string {
  const value = parameters.get(name)
  if (value !== undefined) return value
  throw new OAuthError('invalid_request', `The request must contain the parameter ${name}.`, {
    number: errorNumber.missingParameter,
  })
}
