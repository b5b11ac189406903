// Owners of an application inside a transaction: who they are, who may be one, adding and removing.

import { appendAudit } from '../../ledger/append-audit.js'
import { readMemberships } from '../../storage/sql/people/memberships.js'
import {
  deleteOwner,
  insertOwner,
  type OwnerRow,
  readOwners,
} from '../../storage/sql/registrations/application-owners.js'
import { type ApplicationRow, readApplications } from '../../storage/sql/registrations/applications.js'
import type { Statements } from '../../storage/sql/store.js'
import { DirectoryRefusal } from '../refusal.js'
import type { DirectoryWrites, Writing } from '../writes.js'

/** Somebody who owns an application, or shall. */
export interface OwnerRef {
  ownerId: string
  kind: 'user' | 'application'
}

export interface ApplicationOwner extends OwnerRef {
  /**
   * The id of the person or application that added it; empty: it registered the application, or the local socket did.
   */
  addedBy: string
  /** Epoch ms. */
  addedAt: number
}

type Owned = Pick<ApplicationRow, 'id' | 'tenant_id'>

const mostOwners = 50
/** Below it nobody changes anything of any application. */
const roles = new Set(['owner', 'administrator', 'developer'])

/** The owners of an application, the oldest first. Throws StoreUnavailable. */
export async function listOwners(statements: Statements, applicationId: string): Promise<ApplicationOwner[]> {
  return (await readOwners(statements, applicationId)).map(toOwner)
}

/** Whether somebody may own it: a developer of its home tenant, or another application that is registered there. */
export async function isEligible(
  tx: Statements,
  { id, tenant_id: tenantId }: Owned,
  { ownerId, kind }: OwnerRef,
): Promise<boolean> {
  if (kind === 'user') {
    const [membership] = await readMemberships(tx, { userId: ownerId, tenantId })
    return membership !== undefined && roles.has(membership.role)
  }
  const [other] = ownerId === id ? [] : await readApplications(tx, 'id', ownerId, tenantId)
  return other !== undefined
}

/** Adds one who is none yet. Throws DirectoryRefusal (NotEligible, TooManyOwners). */
export async function addInTransaction(
  deps: DirectoryWrites,
  { tx, nowMs }: Writing,
  application: Owned,
  { ownerId, kind }: OwnerRef,
): Promise<ApplicationOwner> {
  if (!(await isEligible(tx, application, { ownerId, kind }))) {
    const message = 'Owners are developers of the tenant, or other applications of it.'
    throw new DirectoryRefusal('NotEligible', message, kind === 'user' ? 'userId' : 'applicationId')
  }
  const before = await listOwners(tx, application.id)
  const known = before.find((one) => one.ownerId === ownerId)
  if (known !== undefined) return known
  if (before.length >= mostOwners) {
    throw new DirectoryRefusal('TooManyOwners', `An application has at most ${mostOwners} owners.`)
  }
  const { actor } = deps
  const addedBy = actor.kind === 'user' ? actor.userId : actor.kind === 'application' ? actor.applicationId : ''
  await insertOwner(tx, {
    application_id: application.id,
    owner_id: ownerId,
    kind,
    added_by: addedBy,
    added_at: nowMs,
  })
  await appendAudit(deps, tx, { event: 'application.owner-added', ...aboutOf(application, { ownerId, kind }) })
  return { ownerId, kind, addedBy, addedAt: nowMs }
}

/** Removes one. Throws DirectoryRefusal (OwnerNotFound). */
export async function removeInTransaction(
  deps: DirectoryWrites,
  { tx }: Writing,
  application: Owned,
  ownerId: string,
): Promise<void> {
  const owner = (await listOwners(tx, application.id)).find((one) => one.ownerId === ownerId)
  if (owner === undefined || !(await deleteOwner(tx, { applicationId: application.id, ownerId }))) {
    throw new DirectoryRefusal('OwnerNotFound', 'The application has no such owner.')
  }
  await appendAudit(deps, tx, { event: 'application.owner-removed', ...aboutOf(application, owner) })
}

function aboutOf({ id, tenant_id: tenantId }: Owned, { ownerId, kind }: OwnerRef) {
  return { applicationId: id, tenantId, details: { owner: ownerId, kind } }
}

function toOwner({ owner_id, kind, added_by, added_at }: OwnerRow): ApplicationOwner {
  return {
    ownerId: owner_id,
    kind: kind === 'user' ? 'user' : 'application',
    addedBy: added_by,
    addedAt: Number(added_at),
  }
}
