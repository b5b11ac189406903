// How far a caller's word about plans goes. Plans are the operators' product, so theirs goes everywhere; that of an
// administrator needs the permission with which requests are decided, so that no application that merely looks after
// registrations raises what its own may use.

import type { Catalogue } from '../../config/settings/settings.js'
import type { PlanAuthority } from '../../directory/plans/plan-choice.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import type { Store } from '../../storage/sql/store.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import type { Caller } from '../access/access.js'
import { ownApplicationId } from '../access/ownership.js'
import { isOperator } from '../people/tenant-of-path.js'

/** An application as itself has the word of developers at most. */
export function planAuthorityOf(catalogue: Catalogue, caller: Caller): PlanAuthority {
  if (caller.kind === 'local' || isOperator(caller)) return 'operators'
  const { person, principal } = caller
  if (person === undefined || !isAdministrator(person.role)) return 'developers'
  const deciding = catalogue.satisfying('delegated', catalogue.own.id, 'Consent.ReadWrite.All')
  return deciding.some((id) => principal.permissions.has(id)) ? 'administrators' : 'developers'
}

/**
 * The application that `reference` names. An operator names one of any tenant by its identifier; a name is one tenant's
 * own. Throws DirectoryRefusal (ApplicationNotFound, AmbiguousName), StoreUnavailable.
 */
export async function plannedApplicationId(store: Store, caller: Caller, reference: string): Promise<string> {
  const identifier = parseClientIdentifier(reference)
  if (caller.kind === 'local' || !isOperator(caller) || identifier === undefined) {
    return ownApplicationId(store, caller, reference)
  }
  const column = parseGuid(identifier) === undefined ? 'public_key' : 'id'
  const [found] = await store.snapshot((tx) => readApplications(tx, column, identifier))
  if (found !== undefined) return found.application.id
  throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
}
