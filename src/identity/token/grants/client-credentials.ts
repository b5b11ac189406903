// grant_type=client_credentials (RFC 6749 §4.4, contract §3): a web client acts as itself, with application
// permissions.

import type { Registration } from '../../../directory/records.js'
import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'
import type { RequestParameters } from '../../../oauth/requests/parameters.js'
import { readScopeList } from '../../../oauth/requests/scope.js'
import type { IssuingDependencies } from '../../dependencies.js'
import { type ApplicationToken, applicationToken, signApplicationToken, type TokenResponse } from '../issue-token.js'
import { decideAndRemember, findKnownToken, type WrittenRequest } from '../known-tokens.js'
import { requestedTenant } from '../requested-tenant.js'
import type { TokenRequest } from './grant.js'

/** The refusal of a native application, which cannot prove that it is itself. */
export function noOwnIdentity(): OAuthError {
  return new OAuthError('unauthorized_client', 'A native application cannot act under its own identity.', {
    number: errorNumber.clientCannotAuthenticate,
  })
}

/** The token and its answer. Never a refresh token (RFC 6749 §4.4.3). Throws OAuthError, StoreUnavailable. */
export async function grantClientCredentials(
  deps: IssuingDependencies,
  { client, parameters, seq }: TokenRequest,
): Promise<TokenResponse> {
  if (client.type !== 'web') throw noOwnIdentity()
  const { registration, credential } = client
  const request = writtenRequest(parameters)
  const token = findKnownToken(deps, registration, request) ?? (await decideOn(deps, registration, parameters))
  return signApplicationToken(deps, token, { credential, seq })
}

function writtenRequest(parameters: RequestParameters): WrittenRequest {
  return {
    scope: parameters.get('scope'),
    requestedScopes: parameters.get('requested_scopes'),
    tenant: parameters.get('tenant'),
    requestedEnrollment: parameters.get('requested_enrollment'),
    resources: parameters.resources,
  }
}

function decideOn(
  deps: IssuingDependencies,
  registration: Registration,
  parameters: RequestParameters,
): Promise<ApplicationToken> {
  const request = writtenRequest(parameters)
  const { resources } = request
  const scope = readScopeList(request.scope, request.requestedScopes)
  const tenant = requestedTenant(parameters)
  return decideAndRemember(deps, registration, {
    request,
    tenantId: tenant ?? registration.tenantId,
    decide: () => applicationToken(deps, { registration, scope, resources, requestedTenant: tenant }),
  })
}
