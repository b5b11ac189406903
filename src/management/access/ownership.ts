// Whose is it? The second question after access.ts: what belongs to another tenant does not exist for a caller, so it
// is 404 like anything that is not there (U2). The local socket owns everything.

import { DirectoryRefusal } from '../../directory/refusal.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { type ApplicationRecord, readApplications } from '../../storage/sql/registrations/applications.js'
import type { Store } from '../../storage/sql/store.js'
import type { Caller } from './access.js'

/**
 * The application that `reference` names: its identifier, its public key, or its exact name where only one of the
 * caller's has it. Names never look like identifiers (directory/applications/names.ts), so the three cannot be
 * confused. Throws DirectoryRefusal (ApplicationNotFound, AmbiguousName) and StoreUnavailable. The command line's own
 * application is nobody's (decision 65).
 */
export async function ownApplicationId(store: Store, caller: Caller, reference: string): Promise<string> {
  const found = await findApplications(store, reference, caller.kind === 'local' ? undefined : caller.tenantId)
  return theOne(found.filter(({ application: { id } }) => id !== commandLineClient.applicationId))
}

/**
 * As ownApplicationId, and besides an application of another tenant that may be installed in any: by its identifiers
 * only, for a name is one tenant's own. For what a tenant decides about applications that ask for access there.
 */
export async function installableApplicationId(store: Store, caller: Caller, reference: string): Promise<string> {
  if (parseClientIdentifier(reference) === undefined) return ownApplicationId(store, caller, reference)
  const found = await findApplications(store, reference, undefined)
  return theOne(
    found.filter(({ application: { tenant_id: home, audience } }) => owns(caller, home) || audience === 'any'),
  )
}

/**
 * The tenant that is requested, or the caller's own when none is; for the local socket undefined then. Throws
 * DirectoryRefusal.
 */
export function ownTenantId(caller: Caller, requested: string | undefined): string | undefined {
  if (caller.kind === 'local') return requested
  if (requested === undefined || parseGuid(requested) === caller.tenantId) return caller.tenantId
  throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.', 'tenantId')
}

/** Whether a thing of that tenant is the caller's. */
export function owns(caller: Caller, tenantId: string): boolean {
  return caller.kind === 'local' || caller.tenantId === tenantId
}

/** Identifiers in one refusal. */
const mostNamed = 5

async function findApplications(
  store: Store,
  reference: string,
  tenantId: string | undefined,
): Promise<ApplicationRecord[]> {
  const identifier = parseClientIdentifier(reference)
  const column = identifier === undefined ? 'name' : parseGuid(identifier) === undefined ? 'public_key' : 'id'
  const value = identifier ?? reference.normalize('NFC').trim()
  return store.snapshot((tx) => readApplications(tx, column, value, tenantId))
}

function theOne(all: readonly ApplicationRecord[]): string {
  const [found, ...others] = all.map(({ application }) => application.id)
  if (found === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  if (others.length === 0) return found
  const some = [found, ...others].slice(0, mostNamed)
  const more = all.length > some.length ? ' and more' : ''
  const message = `Several applications have this name: use an application identifier (${some.join(', ')}${more}).`
  throw new DirectoryRefusal('AmbiguousName', message)
}
