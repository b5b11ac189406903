// POST to the token endpoint (RFC 6749 §3.2, contract §3), in the order of its decisions. What all grants owe is here;
// a grant's file has only what is its own.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { type RequestParameters, requireParameter } from '../../oauth/requests/parameters.js'
import { checkGrantAllowed } from '../client/allowed-grant.js'
import { authenticateClient, type Client } from '../client/client-authentication.js'
import { allowOrigin } from '../cors.js'
import type { IdentityDependencies } from '../dependencies.js'
import { toOAuthError } from '../errors.js'
import { chargeClient } from '../limits.js'
import { checkMayIssue } from '../view-freshness.js'
import { refuseChangedDocument } from './changed-document.js'
import { grantAuthorizationCode } from './grants/authorization-code.js'
import { grantClientCredentials } from './grants/client-credentials.js'
import { grantDeviceCode } from './grants/device-code.js'
import type { Grant } from './grants/grant.js'
import { grantRefreshToken } from './grants/refresh-token.js'
import { grantTokenExchange } from './grants/token-exchange.js'
import type { TokenResponse } from './issue-token.js'
import { noteGranted, noteRefused } from './request-record.js'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

const grants: ReadonlyMap<string, Grant> = new Map<string, Grant>([
  ['authorization_code', grantAuthorizationCode],
  ['refresh_token', grantRefreshToken],
  ['client_credentials', grantClientCredentials],
  [deviceGrant, grantDeviceCode],
  ['urn:ietf:params:oauth:grant-type:token-exchange', grantTokenExchange],
  // As MSAL spells it, and older drafts of RFC 8628 (decision 0053).
  ['device_code', grantDeviceCode],
])

/** The values of `grant_type` that are served, for the metadata: of two spellings the standard's. */
export const grantTypes: readonly string[] = [...grants.keys()].filter((name) => name !== 'device_code')

/** The body of the 200 answer. Throws OAuthError, StoreUnavailable. */
export async function answerTokenRequest(
  deps: IdentityDependencies,
  parameters: RequestParameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<TokenResponse> {
  const grantType = parameters.get('grant_type')
  // Callers can write anything: the label of a metric takes known values only.
  const label = grantType !== undefined && grants.has(grantType) ? grantType : 'other'
  let client: Client | undefined
  const recordOf = (known: Client) => ({ client: known, grantType: label, parameters, request })
  try {
    checkMayIssue(deps)
    const { seq } = deps.view
    client = await authenticateClient(deps, parameters, request)
    allowOrigin(client.registration, request, reply)
    const actsFor = label === 'client_credentials' || label === 'other' ? 'itself' : 'person'
    await chargeClient(deps, client, { request, reply }, actsFor)
    const grantType = requireParameter(parameters, 'grant_type')
    const grant = requireGrant(grantType)
    checkGrantAllowed(client.registration, grantType === 'device_code' ? deviceGrant : grantType)
    await refuseChangedDocument(deps, client.registration, request)
    const answer = await grant(deps, { client, parameters, seq, request, reply })
    deps.authenticator.issued(client.registration.applicationId, answer.access_token)
    deps.metrics.tokensIssued.labels(label, 'granted').inc()
    noteGranted(deps, recordOf(client), answer)
    return answer
  } catch (error) {
    deps.metrics.tokensIssued.labels(label, toOAuthError(error).code).inc()
    // A client that failed to prove itself was noted where that was seen.
    if (client !== undefined) noteRefused(deps, recordOf(client), error)
    throw error
  }
}

function requireGrant(grantType: string): Grant {
  const grant = grants.get(grantType)
  if (grant !== undefined) return grant
  throw new OAuthError('unsupported_grant_type', 'This token endpoint does not serve that grant_type.', {
    number: errorNumber.unsupportedGrantType,
  })
}
