// grant_type=client_credentials (RFC 6749 §4.4, contract §3): a web client acts as itself, with application permissions.

import { errorNumber } from '../../oauth/error-numbers.js'
import { OAuthError } from '../../oauth/errors.js'
import { parseGuid } from '../../oauth/guid.js'
import type { RequestParameters } from '../../oauth/parameters.js'
import { readScopeList } from '../../oauth/scope.js'
import type { Client } from '../client-authentication.js'
import type { IssuingDependencies } from '../dependencies.js'
import { issueApplicationToken, type TokenResponse } from './issue-token.js'

/** The token and its answer. Never a refresh token (RFC 6749 §4.4.3). Throws OAuthError, StoreUnavailable. */
export async function grantClientCredentials(
  deps: IssuingDependencies,
  client: Client,
  parameters: RequestParameters,
  seq: number,
): Promise<TokenResponse> {
  if (client.type !== 'web') {
    throw new OAuthError('unauthorized_client', 'A native application cannot act under its own identity.', {
      number: errorNumber.clientCannotAuthenticate,
    })
  }
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

/** `requested_enrollment`, or its alias `tenant`: a tenant's GUID, or undefined for the home tenant. */
function requestedTenant(parameters: RequestParameters): string | undefined {
  const written = [parameters.get('requested_enrollment'), parameters.get('tenant')].filter(
    (value) => value !== undefined,
  )
  const [tenant, other] = written.map(parseGuid)
  if (written.length > 0 && (tenant === undefined || (written.length > 1 && other === undefined))) {
    throw new OAuthError('invalid_request', 'requested_enrollment must be the GUID of a tenant.', {
      number: errorNumber.malformedTenant,
    })
  }
  if (written.length > 1 && tenant !== other) {
    throw new OAuthError('invalid_request', 'requested_enrollment and tenant are one parameter but differ.', {
      number: errorNumber.invalidParameter,
    })
  }
  return tenant
}
