// Who an application belongs to (contract §8, decision 84): whoever registered it, and whom its owners or an administrator add.
// Owners are people who belong to its home tenant, and applications that are registered there; whoever leaves owns nothing.

import { account } from '../ledger/account.js'
import { deleteOwner, insertOwner, type OwnerRow, readOwners } from '../memory/store/application-owners.js'
import { type ApplicationRow, readApplications } from '../memory/store/applications.js'
import { readMemberships } from '../memory/store/memberships.js'
import { readRegistrationTokens } from '../memory/store/registration-tokens.js'
import type { Statements } from '../memory/store/store.js'
import { DirectoryRefusal } from './refusal.js'
import { type DirectoryWrites, requireApplication, type Writing, write } from './writes.js'

export interface ApplicationOwner {
  ownerId: string
  kind: 'user' | 'application'
  /** The id of the person or application that added it; empty: it registered the application, or the local socket did. */
  addedBy: string
  /** Epoch ms. */
  addedAt: number
}

const mostOwners = 50
/** Below it nobody changes anything of any application. */
const roles = new Set(['owner', 'administrator', 'developer'])

/** The owners of an application, the oldest first. Throws StoreUnavailable. */
export async function listOwners(statements: Statements, applicationId: string): Promise<ApplicationOwner[]> {
  return (await readOwners(statements, applicationId)).map(toOwner)
}

/**
 * Adds an owner; nothing happens when it is one. Throws DirectoryRefusal (ApplicationNotFound, NotEligible for whoever is no
 * developer of the home tenant and no other application of it, TooManyOwners) and StoreUnavailable.
 */
export async function addOwner(
  deps: DirectoryWrites,
  applicationId: string,
  owner: Pick<ApplicationOwner, 'ownerId' | 'kind'>,
): Promise<ApplicationOwner> {
  return write(deps, async (writing) => {
    const { application } = await requireApplication(writing, applicationId)
    if (!(await isEligible(writing.tx, application, owner))) {
      const message = 'Owners are developers of the tenant, or other applications of it.'
      throw new DirectoryRefusal('NotEligible', message, owner.kind === 'user' ? 'userId' : 'applicationId')
    }
    const before = await listOwners(writing.tx, application.id)
    const known = before.find(({ ownerId }) => ownerId === owner.ownerId)
    if (known !== undefined) return known
    if (before.length >= mostOwners) {
      throw new DirectoryRefusal('TooManyOwners', `An application has at most ${mostOwners} owners.`)
    }
    const added = { ...owner, addedBy: actorId(deps), addedAt: writing.nowMs }
    await insertOwner(writing.tx, toRow(application.id, added))
    await account(deps, writing.tx, { event: 'application.owner-added', ...aboutOf(application, owner) })
    return added
  })
}

/** Removes an owner; without any, the application is the administrators'. Throws DirectoryRefusal (ApplicationNotFound, OwnerNotFound). */
export async function removeOwner(deps: DirectoryWrites, applicationId: string, ownerId: string): Promise<void> {
  await write(deps, async (writing) => {
    const { application } = await requireApplication(writing, applicationId)
    const owner = (await listOwners(writing.tx, application.id)).find((one) => one.ownerId === ownerId.toLowerCase())
    if (
      owner === undefined ||
      !(await deleteOwner(writing.tx, { applicationId: application.id, ownerId: owner.ownerId }))
    )
      throw new DirectoryRefusal('OwnerNotFound', 'The application has no such owner.')
    await account(deps, writing.tx, { event: 'application.owner-removed', ...aboutOf(application, owner) })
  })
}

/**
 * As part of a registration: whoever registers owns it, and of a registration by standard whoever made the registration token.
 * Nobody does what comes over the local socket, or who has no place in its tenant.
 */
export async function insertFirstOwner(
  deps: DirectoryWrites,
  { tx, nowMs }: Writing,
  application: Pick<ApplicationRow, 'id' | 'tenant_id'>,
): Promise<void> {
  const ownerId = await registrantId(deps, tx)
  if (ownerId === '') return
  for (const kind of ['user', 'application'] as const) {
    const owner = { ownerId, kind }
    if (!(await isEligible(tx, application, owner))) continue
    await insertOwner(tx, toRow(application.id, { ...owner, addedBy: '', addedAt: nowMs }))
    return
  }
}

async function registrantId(deps: DirectoryWrites, tx: Statements): Promise<string> {
  if (deps.actor.kind !== 'registration-token') return actorId(deps)
  const { registrationTokenId } = deps.actor
  const [token] = await readRegistrationTokens(tx, { id: registrationTokenId })
  return token?.created_by ?? ''
}

function actorId({ actor }: DirectoryWrites): string {
  if (actor.kind === 'user') return actor.userId
  return actor.kind === 'application' ? actor.applicationId : ''
}

async function isEligible(
  tx: Statements,
  { id, tenant_id: tenantId }: Pick<ApplicationRow, 'id' | 'tenant_id'>,
  { ownerId, kind }: Pick<ApplicationOwner, 'ownerId' | 'kind'>,
): Promise<boolean> {
  if (kind === 'user') {
    const [membership] = await readMemberships(tx, { userId: ownerId, tenantId })
    return membership !== undefined && roles.has(membership.role)
  }
  const [other] = ownerId === id ? [] : await readApplications(tx, 'id', ownerId, tenantId)
  return other !== undefined
}

function aboutOf(
  { id, tenant_id: tenantId }: Pick<ApplicationRow, 'id' | 'tenant_id'>,
  { ownerId, kind }: Pick<ApplicationOwner, 'ownerId' | 'kind'>,
) {
  return { applicationId: id, tenantId, details: { owner: ownerId, kind } }
}

function toRow(applicationId: string, { ownerId, kind, addedBy, addedAt }: ApplicationOwner): OwnerRow {
  return { application_id: applicationId, owner_id: ownerId, kind, added_by: addedBy, added_at: addedAt }
}

function toOwner({ owner_id, kind, added_by, added_at }: OwnerRow): ApplicationOwner {
  return {
    ownerId: owner_id,
    kind: kind === 'user' ? 'user' : 'application',
    addedBy: added_by,
    addedAt: Number(added_at),
  }
}
