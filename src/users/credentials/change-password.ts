// New passwords, by who knows the old one or by a link (accept-link.ts). Either way every other session has ended
// (C14).

import { type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { deleteLinks } from '../../storage/sql/people/one-time-links.js'
import { type UserRow, updateUser } from '../../storage/sql/people/users.js'
import { UserRefusal } from '../refusal.js'
import { endAccess } from '../sessions/end-access.js'
import { requireUser, type UserWrites } from '../writes.js'
import { acceptNewPassword } from './new-password.js'
import { isHashable, normalizePassword } from './password-rules.js'

export interface PasswordChange {
  userId: string
  current: string
  next: string
  /** Hash of the session in which it is changed: the only one that stays. */
  session?: string | undefined
  address: string
  /** Of a browser in which this person has signed in before. */
  device?: string | undefined
}

export type PasswordChangeResult = { kind: 'changed' } | { kind: 'wait'; retryAfterSeconds: number }

/**
 * Changes a password for somebody who knows it, and signs them out everywhere else. Throws UserRefusal (UserNotFound,
 * NoPassword, WrongPassword, PasswordRefused), PasswordQueueFull and StoreUnavailable.
 */
export async function changePassword(deps: UserWrites, change: PasswordChange): Promise<PasswordChangeResult> {
  const { address, device } = change
  const user = await requireUser({ tx: deps.store.reader }, change.userId)
  const { password_hash: stored } = user
  if (stored === null) throw new UserRefusal('NoPassword', 'This account has no password.')
  const next = await acceptNewPassword(deps, { ...user, userId: user.id }, change.next)
  const turn = await deps.throttle.begin({ address, account: `id:${user.id}`, proof: 'password', device })
  if (!turn.allowed) return { kind: 'wait', retryAfterSeconds: turn.retryAfterSeconds }
  let result: 'passed' | 'failed' | undefined
  try {
    const current = normalizePassword(change.current)
    const matches = await deps.passwords.verify(
      isHashable(current) ? stored : undefined,
      current.slice(0, 1024),
      address,
    )
    result = matches ? 'passed' : 'failed'
  } finally {
    await turn.end(result)
  }
  if (result === 'failed') {
    deps.activity.note({ event: 'user.password-change-failed', userId: user.id, address })
    throw new UserRefusal('WrongPassword', 'That is not your present password.', 'current')
  }
  const hash = await deps.passwords.hash(next, address)
  await write(deps, async (writing) => {
    const row = await requireUser(writing, user.id)
    // Somebody changed it while this one was checked: what was proved is not the password any more.
    if (row.password_hash !== stored)
      throw new UserRefusal('WrongPassword', 'That is not your present password.', 'current')
    await storePassword(deps, writing, row, { hash, except: change.session })
  })
  return { kind: 'changed' }
}

/**
 * Stores a new password inside a transaction, ends sessions (but one) and what applications hold, and accounts for it.
 */
export async function storePassword(
  deps: UserWrites,
  writing: Writing,
  user: UserRow,
  password: { hash: string; except?: string | undefined },
): Promise<void> {
  const { tx, nowMs } = writing
  await updateUser(tx, user.id, { password_hash: password.hash, password_changed_at: nowMs, updated_at: nowMs })
  // Links that somebody requested before would undo it.
  await deleteLinks(tx, { purpose: 'password-reset', userId: user.id })
  await endAccess(deps, writing, { userId: user.id, except: password.except }, 'password-changed')
  await appendAudit(deps, tx, { event: 'user.password-changed', userId: user.id })
}
