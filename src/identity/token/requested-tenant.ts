// The tenant that a token request names (contract §3), in both its spellings.

import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { invalidGrant } from './grants/invalid-grant.js'

/**
 * `requested_enrollment`, or its alias `tenant`: a tenant's GUID, or undefined when it names none. Throws OAuthError
 * `invalid_request` for anything else, and for two that differ.
 */
export function requestedTenant(parameters: RequestParameters): string | undefined {
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

/**
 * A grant is for one tenant, which a request can repeat and not change. Throws OAuthError as requestedTenant,
 * `invalid_grant`.
 */
export function checkSameTenant(parameters: RequestParameters, tenantId: string): void {
  const requested = requestedTenant(parameters)
  if (requested === undefined || requested === tenantId) return
  throw invalidGrant('The grant is for another tenant.', errorNumber.invalidGrant, 'grant_of_another_tenant')
}
