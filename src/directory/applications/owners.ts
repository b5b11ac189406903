// Who an application belongs to (contract §8, decision 84): the caller that registered it, and those whom its owners or
// an administrator add. Owners are people who belong to its home tenant, and applications that are registered there;
// a person who leaves owns nothing.

import { insertOwner } from '../../storage/sql/registrations/application-owners.js'
import type { ApplicationRow } from '../../storage/sql/registrations/applications.js'
import { readRegistrationTokens } from '../../storage/sql/registrations/registration-tokens.js'
import type { Statements } from '../../storage/sql/store.js'
import { type DirectoryWrites, requireApplication, type Writing, write } from '../writes.js'
import {
  type ApplicationOwner,
  addInTransaction,
  isEligible,
  listOwners,
  type OwnerRef,
  removeInTransaction,
} from './owners-in-transaction.js'

/**
 * Adds an owner; nothing happens when it is one. Throws DirectoryRefusal (ApplicationNotFound, NotEligible for one that
 * is neither a developer of the home tenant nor another application of it, TooManyOwners) and StoreUnavailable.
 */
export async function addOwner(
  deps: DirectoryWrites,
  applicationId: string,
  owner: OwnerRef,
): Promise<ApplicationOwner> {
  return write(deps, async (writing) => {
    const { application } = await requireApplication(writing, applicationId)
    return addInTransaction(deps, writing, application, owner)
  })
}

/**
 * Removes an owner; without any, the application is the administrators'. Throws DirectoryRefusal (ApplicationNotFound,
 * OwnerNotFound).
 */
export async function removeOwner(deps: DirectoryWrites, applicationId: string, ownerId: string): Promise<void> {
  await write(deps, async (writing) => {
    const { application } = await requireApplication(writing, applicationId)
    await removeInTransaction(deps, writing, application, ownerId.toLowerCase())
  })
}

/**
 * Makes these the owners, and nobody else, in one transaction: an owner who gives an application away does not lose it
 * halfway. Throws as addOwner does.
 */
export async function replaceOwners(
  deps: DirectoryWrites,
  applicationId: string,
  owners: readonly OwnerRef[],
): Promise<void> {
  await write(deps, async (writing) => {
    const { application } = await requireApplication(writing, applicationId)
    for (const { ownerId } of await listOwners(writing.tx, application.id)) {
      if (!owners.some((one) => one.ownerId === ownerId)) await removeInTransaction(deps, writing, application, ownerId)
    }
    for (const owner of owners) await addInTransaction(deps, writing, application, owner)
  })
}

/**
 * As part of a registration: the caller owns it, and after a registration by standard the creator of the registration
 * token does. Nobody does what comes over the local socket, or who has no place in its tenant.
 */
export async function insertFirstOwner(
  deps: DirectoryWrites,
  { tx, nowMs }: Writing,
  application: Pick<ApplicationRow, 'id' | 'tenant_id'>,
): Promise<void> {
  const ownerId = await registrantId(deps, tx)
  if (ownerId === '') return
  for (const kind of ['user', 'application'] as const) {
    if (!(await isEligible(tx, application, { ownerId, kind }))) continue
    await insertOwner(tx, {
      application_id: application.id,
      owner_id: ownerId,
      kind,
      added_by: '',
      added_at: nowMs,
    })
    return
  }
}

async function registrantId({ actor }: DirectoryWrites, tx: Statements): Promise<string> {
  if (actor.kind === 'user') return actor.userId
  if (actor.kind === 'application') return actor.applicationId
  if (actor.kind !== 'registration-token') return ''
  const [token] = await readRegistrationTokens(tx, { id: actor.registrationTokenId })
  return token?.created_by ?? ''
}
