// An authorization request on the wire (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1, contract §4): its parameters,
// and what they may say. One file, so that the metadata announces what is served.

import { type RequestParameters, readKnownParameters } from './parameters.js'

/** How the answer comes back; `query` unless requested otherwise. */
export type ResponseMode = 'query' | 'form_post'

/** What the server metadata says of the authorization endpoint (RFC 8414 §2, OpenID Connect Discovery §3). */
export const authorizationSupport = {
  response_types_supported: ['code'],
  response_modes_supported: ['query', 'form_post'] satisfies ResponseMode[],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  claims_parameter_supported: true,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
} as const

/** Read here, and therefore not to come twice. `resource` may (RFC 8707 §2); what is ignored does not matter. */
const once = new Set([
  'acr_values',
  'claims',
  'client-request-id',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'prompt',
  'redirect_uri',
  'request',
  'request_uri',
  'requested_enrollment',
  'requested_scopes',
  'response_mode',
  'response_type',
  'scope',
  'state',
  'tenant',
])

/**
 * Reads a query or a form-encoded body. An empty value counts as absent. Throws OAuthError `invalid_request` when it is
 * malformed or repeats a known parameter: then nobody can say where the answer should go (R7).
 */
export function readAuthorizationParameters(text: string): RequestParameters {
  return readKnownParameters(text, once, 'request')
}
