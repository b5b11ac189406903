// The tenant that the request names (contract §4): the application has to be there, or be one that its people may bring
// in. Unknown, out of use and not for this application are one refusal, so that nobody learns which tenants exist.

import { takesClient } from '../../directory/documents/taken-clients.js'
import type { Directory, Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { parseGuid } from '../../oauth/secrets/guid.js'

/**
 * The identifier in `requested_enrollment`, or in its other name `tenant`; undefined when the request names none.
 * Throws OAuthError `invalid_request` when it is no GUID or they differ, `unauthorized_client` (700016).
 */
export async function readRequestedTenant(
  directory: Directory,
  registration: Registration,
  parameters: RequestParameters,
): Promise<string | undefined> {
  const names = ['requested_enrollment', 'tenant'].flatMap((name) => parameters.get(name) ?? [])
  const [tenantId, other] = names.map((name) => parseGuid(name))
  if (names.length === 0) return undefined
  if (tenantId === undefined || (names.length > 1 && other === undefined)) {
    throw new OAuthError('invalid_request', 'requested_enrollment must be a GUID.', {
      number: errorNumber.malformedTenant,
    })
  }
  if (other !== undefined && other !== tenantId) {
    throw new OAuthError('invalid_request', 'requested_enrollment and tenant are one parameter but differ.', {
      number: errorNumber.invalidParameter,
    })
  }
  if (await isUsableIn(directory, registration, tenantId)) return tenantId
  throw new OAuthError('unauthorized_client', 'The application was not found in the tenant.', {
    number: errorNumber.notInTenant,
  })
}

/**
 * Whether people may use the application in the tenant: at home, where it is installed, or where they may install it or
 * ask for it.
 */
export async function isUsableIn(directory: Directory, registration: Registration, tenantId: string): Promise<boolean> {
  const { applicationId, tenantId: home, audience, document } = registration
  if (document !== undefined) {
    // Everybody's at first; from then on it is the application of one tenant.
    const tenant = await directory.findTenant(tenantId)
    if (tenant?.state !== 'enabled' || !takesClient(tenant, document.url)) return false
    return home === '' || home === tenantId
  }
  const [homeTenant, tenant, installation] = await Promise.all([
    directory.findTenant(home),
    directory.findTenant(tenantId),
    directory.findInstallation(applicationId, tenantId),
  ])
  if (homeTenant?.state !== 'enabled' || tenant?.state !== 'enabled') return false
  if (tenantId === home) return true
  return audience === 'any' && (installation !== undefined || tenant.userConsent !== 'administrators')
}
