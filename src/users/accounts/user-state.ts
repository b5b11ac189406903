// Disabling, enabling and deleting a person, and who is an operator. None of it may leave a tenant without an owner, or the
// installation without an operator.

import { type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { endGrants } from '../../revocation/end-grants.js'
import { countOwners, readMemberships } from '../../storage/sql/people/memberships.js'
import { hasOtherOperator } from '../../storage/sql/people/operators.js'
import { deleteUser as deleteUserRows } from '../../storage/sql/people/user-removal.js'
import { type UserRow, updateUser } from '../../storage/sql/people/users.js'
import { toUser, type User } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { endAccess } from '../sessions/end-access.js'
import { requireUser, type UserWrites } from '../writes.js'
import { endResetLinks } from './reset-links.js'

/**
 * Disables or enables. A disabled person cannot sign in, and has no session, no grant and no token: those do not come
 * back when they are enabled again (C14). Throws UserRefusal (UserNotFound, LastOwner, LastOperator) and
 * StoreUnavailable.
 */
export async function setUserState(deps: UserWrites, userId: string, state: User['state']): Promise<User> {
  return write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const before = await requireUser(writing, userId)
    if (before.state === state) return toUser(before)
    if (state === 'disabled') await checkSomebodyLeft(writing, before)
    const row = await updateUser(tx, before.id, { state, updated_at: nowMs })
    writing.record({ kind: 'user', userId: before.id, state })
    if (state === 'disabled') await endAccess(deps, writing, { userId: before.id }, 'user-disabled')
    await appendAudit(deps, tx, { event: `user.${state}`, userId: before.id })
    return toUser(row ?? before)
  })
}

/**
 * Deletes a person: sessions, credentials, memberships, profiles and consents are removed, what applications hold ends,
 * and their tokens are refused at once. The ledger keeps the id and nothing else. Throws as setUserState does.
 */
export async function deleteUser(deps: UserWrites, userId: string): Promise<void> {
  await write(deps, async (writing) => {
    const before = await requireUser(writing, userId)
    const { id } = before
    await checkSomebodyLeft(writing, before)
    await endAccess(deps, writing, { userId: id }, 'user-deleted')
    const formerTenantIds = (await readMemberships(writing.tx, { userId: id })).map(({ tenant_id }) => tenant_id)
    await deleteUserRows(writing.tx, id)
    await appendAudit(deps, writing.tx, { event: 'user.deleted', userId: id, formerTenantIds })
  })
}

/**
 * Makes somebody an operator of the installation, or ends that. Throws UserRefusal (UserNotFound, LastOperator) and
 * StoreUnavailable.
 */
export async function setOperator(deps: UserWrites, userId: string, isOperator: boolean): Promise<User> {
  return write(deps, async (writing) => {
    const before = await requireUser(writing, userId)
    if (toUser(before).isOperator === isOperator) return toUser(before)
    if (!isOperator) await checkOperatorsLeft(writing, before)
    const changes = { operator: isOperator ? 1 : 0, updated_at: writing.nowMs }
    const row = await updateUser(writing.tx, before.id, changes)
    if (isOperator) await endResetLinks(writing.tx, before.id)
    // What applications hold for them reaches the server's permissions: they get new tokens, without these.
    else await endGrants(deps, writing, { userId: before.id }, 'operator-ended')
    const event = isOperator ? 'user.operator-made' : 'user.operator-ended'
    await appendAudit(deps, writing.tx, { event, userId: before.id })
    return toUser(row ?? before)
  })
}

async function checkSomebodyLeft(writing: Writing, user: UserRow): Promise<void> {
  await checkOperatorsLeft(writing, user)
  await checkOwnersLeft(writing, user.id)
}

/** In the transaction that ends one: of two at once one sees the other. */
async function checkOperatorsLeft({ tx }: Writing, { id, operator, state }: UserRow): Promise<void> {
  if (operator !== 1 || state !== 'enabled' || (await hasOtherOperator(tx, id))) return
  const message =
    'Nobody else is an operator whose account works. Make somebody else one first; on the server itself: portcullis user make-operator'
  throw new UserRefusal('LastOperator', message, 'operator')
}

async function checkOwnersLeft({ tx }: Writing, userId: string): Promise<void> {
  for (const { tenant_id: tenantId, role } of await readMemberships(tx, { userId })) {
    if (role === 'owner' && (await countOwners(tx, { tenantId, except: userId })) === 0) {
      throw new UserRefusal('LastOwner', 'This person is the only owner of a tenant: make somebody else owner first.')
    }
  }
}
