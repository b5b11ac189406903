// A change to an application that somebody asks for, in the transaction that would write it: both questions of decision
// 84 are checked there, so that nothing is granted, and nobody's place is taken away, between the question and the
// change.

import type { FastifyRequest } from 'fastify'
import type { Catalogue } from '../../config/settings/settings.js'
import { onlyIf } from '../../directory/actor.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { readOwners } from '../../storage/sql/registrations/application-owners.js'
import type { Statements } from '../../storage/sql/store.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { type Caller, callerOf } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import type { StillGoodDependencies } from '../access/still-good.js'
import { unlessChanged } from '../answers/entity-tag.js'
import type { ManagementDependencies } from '../dependencies.js'
import { applicationWrites } from './application-writes.js'

export interface ChangeRequest {
  tx: Statements
  catalogue: Catalogue
  caller: Caller
  applicationId: string
}

/**
 * The writes of a change to an application: refused unless it is the caller's to change, and for what `also` throws,
 * such as checkMayEquip; then with 412 as applicationWrites. Checked now too, so that a caller who may not change it is
 * refused for that first.
 */
export async function changeWrites(
  deps: StillGoodDependencies & Pick<ManagementDependencies, 'store'>,
  request: FastifyRequest,
  applicationId: string,
  also?: (change: ChangeRequest) => Promise<void>,
): Promise<DirectoryWrites> {
  return checkedWrites(deps, request, { applicationId, writes: applicationWrites(deps, request, applicationId), also })
}

/**
 * The same for a part of it that has a tag of its own: 412 unless that part is as If-Match says. `read` gives its answer
 * inside the transaction.
 */
export async function partWrites(
  deps: StillGoodDependencies & Pick<ManagementDependencies, 'store'>,
  request: FastifyRequest,
  applicationId: string,
  read: (tx: Statements) => Promise<unknown>,
): Promise<DirectoryWrites> {
  return checkedWrites(deps, request, { applicationId, writes: unlessChanged(writesOf(deps, request), request, read) })
}

async function checkedWrites(
  deps: Pick<ManagementDependencies, 'settings' | 'store'>,
  request: FastifyRequest,
  {
    applicationId,
    writes,
    also,
  }: { applicationId: string; writes: DirectoryWrites; also?: ((change: ChangeRequest) => Promise<void>) | undefined },
): Promise<DirectoryWrites> {
  const { catalogue } = deps.settings
  const check = async (tx: Statements) => {
    const params = { tx, catalogue, caller: callerOf(request), applicationId }
    await checkMayChange(params)
    await also?.(params)
  }
  await deps.store.snapshot(check)
  return onlyIf(writes, check)
}

/**
 * Whether it is theirs to change: an owner's, or an administrator's of its home tenant. Throws ApiError 403,
 * StoreUnavailable.
 */
export async function checkMayChange({ tx, caller, applicationId }: Omit<ChangeRequest, 'catalogue'>): Promise<void> {
  if (caller.kind === 'local') return
  const { person, principal } = caller
  if (person !== undefined && isAdministrator(person.role)) return
  const callerId = person?.userId ?? (principal.kind === 'application' ? principal.applicationId : undefined)
  // An application that may look after applications looks after itself: the holder of its credentials is it already.
  if (callerId === applicationId) return
  const owners = await readOwners(tx, applicationId)
  if (owners.some((owner) => owner.owner_id === callerId)) return
  const message = 'This is for the owners of the application and the administrators of its tenant: ask one to add you.'
  throw new ApiError(403, 'NotTheOwner', message)
}
