// grant_type=client_credentials (RFC 6749 §4.4, contract §3): a web client acts as itself, with application
// permissions.

import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'
import { readScopeList } from '../../../oauth/requests/scope.js'
import type { IssuingDependencies } from '../../dependencies.js'
import { issueApplicationToken, type TokenResponse } from '../issue-token.js'
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
  const scope = readScopeList(parameters.get('scope'), parameters.get('requested_scopes'))
  return issueApplicationToken(deps, {
    registration: client.registration,
    credential: client.credential,
    scope,
    resources: parameters.resources,
    requestedTenant: requestedTenant(parameters),
    seq,
  })
}
