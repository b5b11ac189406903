// When an address counts (contract §8): its link was used, an operator confirmed it, or an administrator did, who can
// vouch within their tenant only. What nobody confirmed is what somebody typed: no application is told it, because some
// take it for who the person is.

import type { Writing } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { deleteEmailChange } from '../../storage/sql/people/email-changes.js'
import { putEmailVoucher, readEmailVoucher } from '../../storage/sql/people/email-vouchers.js'
import { deleteLinks } from '../../storage/sql/people/one-time-links.js'
import { readUser, type UserRow, updateUser } from '../../storage/sql/people/users.js'
import { updateProfiles } from '../../storage/sql/resources/profiles.js'
import type { Statements } from '../../storage/sql/store.js'
import { keepNoticesAt } from '../notices/notices-before-change.js'
import { toUser, type User } from '../records.js'
import { UserRefusal } from '../refusal.js'
import type { UserWrites } from '../writes.js'

/** How an address was confirmed. `tenantId`: by an administrator of that tenant, who is no operator. */
export type Confirmation = { by: 'link' | 'operator' } | { by: 'administrator'; tenantId: string }

/**
 * Makes this the address of the person, inside a transaction. Throws UserRefusal (EmailTaken); of two at once with one
 * address, one gets UniqueViolation.
 */
export async function putConfirmedEmail(
  deps: UserWrites,
  { tx, nowMs }: Writing,
  user: UserRow,
  confirmed: { email: string; key: string } & Confirmation,
): Promise<User> {
  const { email, key } = confirmed
  const holder = await readUser(tx, 'email_key', key)
  if (holder !== undefined && holder.id !== user.id) {
    throw new UserRefusal('EmailTaken', 'Somebody has this e-mail address already.', 'email')
  }
  const isMoved = key !== user.email_key
  const isProven = confirmed.by !== 'administrator' || (!isMoved && Number(user.email_verified) === 1)
  const columns = { email, email_key: key, email_verified: isProven ? 1 : 0, updated_at: nowMs }
  const row = await updateUser(tx, user.id, columns)
  // What was sent to the former address is not for the person who reads mail there now.
  if (isMoved) await deleteLinks(tx, { purpose: 'password-reset', userId: user.id })
  await deleteEmailChange(tx, user.id)
  await updateProfiles(tx, { userId: user.id }, { email: isProven ? email : '' })
  if (!isProven && confirmed.by === 'administrator') {
    const { tenantId } = confirmed
    await putEmailVoucher(tx, user.id, { tenantId, atMs: nowMs })
    await updateProfiles(tx, { userId: user.id, tenantId }, { email })
  } else await putEmailVoucher(tx, user.id, undefined)
  // The ledger outlives the person, so it says what changed and not to what.
  const details = { changed: isMoved ? ['email'] : [], confirmed: confirmed.by }
  await appendAudit(deps, tx, { event: 'user.changed', userId: user.id, details })
  if (isMoved) await keepNoticesAt(deps, { tx, nowMs }, user)
  return toUser(row ?? user)
}

/** The address that an application of that home tenant may be told; empty: none. Throws StoreUnavailable. */
export async function releasedEmail(reader: Statements, user: User, homeTenantId: string): Promise<string> {
  if (user.emailVerified || user.email === '') return user.email
  return (await readEmailVoucher(reader, user.userId)) === homeTenantId ? user.email : ''
}
