// Who consents, and who vouches (contract §4): consent is granted by administrators, never by applications for each
// other.

import type { Role } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import type { Caller } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'
import { isOperator } from '../people/tenant-of-path.js'
import type { Body } from '../schemas.js'

/** As whom somebody consents. Throws ApiError 403 for a caller who may not. */
export function consentOf(
  deps: Pick<ManagementDependencies, 'settings'>,
  caller: Caller,
): { by: string; byOperator: boolean; byRole: Role | undefined } {
  const byRole = caller.kind === 'local' ? undefined : caller.person?.role
  return { by: consentingAs(deps, caller), byOperator: isOperator(caller), byRole }
}

/**
 * Who consents, for the record. Throws ApiError 403 for a caller who may not: only administrators do, as themselves.
 */
function consentingAs({ settings }: Pick<ManagementDependencies, 'settings'>, caller: Caller): string {
  if (caller.kind === 'local') return 'local'
  const { principal, person } = caller
  const { catalogue } = settings
  if (person !== undefined && isAdministrator(person.role)) {
    const covering = catalogue.satisfying('delegated', catalogue.own.id, 'Consent.ReadWrite.All')
    if (covering.some((id) => principal.permissions.has(id))) return person.userId
  }
  const message = 'Consent is granted by an administrator of the tenant.'
  throw new ApiError(403, 'ConsentNotAllowed', message, { target: 'consent' })
}

/** Only operators say that a publisher is who they say. Throws ApiError 403. */
export function checkVouching(caller: Caller, { verified }: Pick<Body<'changeApplication'>, 'verified'>): void {
  if (verified !== true || caller.kind === 'local' || caller.person?.isOperator === true) return
  const message = 'Only an operator of this installation says that a publisher is verified.'
  throw new ApiError(403, 'OperatorRequired', message, { target: 'verified' })
}
