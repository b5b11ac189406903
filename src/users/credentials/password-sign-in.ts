// Signing in with a password: the same answer, the same work and the same counting for somebody who does not exist, has
// no password, is disabled, or typed a wrong one (U7).

import { readUser, type UserRow, updateUser } from '../../storage/sql/people/users.js'
import { emailKey } from '../mail/email.js'
import { toUser, type User } from '../records.js'
import { lastAccessEnd } from '../sessions/end-access.js'
import type { UserWrites } from '../writes.js'
import { notifyOfFailures } from './failure-notice.js'
import { isHashable, normalizePassword } from './password-rules.js'

export type PasswordSignIn =
  /**
   * `provenAfter` is for createSession. With `needsSecondFactor`, nobody is signed in before checkSecondFactor
   * (second-factor.ts) passes too.
   */
  | { kind: 'passed'; user: User; needsSecondFactor: boolean; provenAfter: number }
  /** Wrong, unknown or disabled: nobody is told which. */
  | { kind: 'refused' }
  | { kind: 'wait'; retryAfterSeconds: number }

/** Checks an address and a password. Throws PasswordQueueFull and StoreUnavailable. */
export async function checkPassword(
  deps: UserWrites,
  attempt: {
    email: string
    password: string
    address: string
    /** What a browser in which a person has signed in before is counted as; checked for nobody too. */
    device?: (userId: string) => string | undefined
  },
): Promise<PasswordSignIn> {
  const { address } = attempt
  const key = emailKey(attempt.email)
  const { user, provenAfter } = await deps.store.snapshot(async (tx) => {
    const row = key === '' ? undefined : await readUser(tx, 'email_key', key)
    // Of one moment with the password that is looked at next. Checked for nobody too, so that it takes as long.
    return { user: row, provenAfter: await lastAccessEnd(tx, row?.id ?? '') }
  })
  const turn = await deps.throttle.begin({
    address,
    account: key,
    proof: 'password',
    device: attempt.device?.(user?.id ?? ''),
  })
  if (!turn.allowed) {
    deps.activity.note({ event: 'user.sign-in-delayed', userId: user?.id, address })
    return { kind: 'wait', retryAfterSeconds: turn.retryAfterSeconds }
  }
  let result: 'passed' | 'failed' | undefined
  try {
    const matches = await verify(deps, user, attempt)
    result = matches && user?.state === 'enabled' ? 'passed' : 'failed'
  } finally {
    const { isFull } = await turn.end(result)
    if (isFull && user !== undefined) notifyOfFailures(deps, user)
  }
  if (result === 'failed' || user === undefined) {
    deps.activity.note({ event: 'user.sign-in-failed', userId: user?.id, address, details: { proof: 'password' } })
    return { kind: 'refused' }
  }
  return { kind: 'passed', user: toUser(user), needsSecondFactor: user.totp_secret !== null, provenAfter }
}

async function verify(
  deps: UserWrites,
  user: UserRow | undefined,
  { password, address }: { password: string; address: string },
): Promise<boolean> {
  const normal = normalizePassword(password)
  if (!isHashable(normal)) return deps.passwords.verify(undefined, '', address)
  const matches = await deps.passwords.verify(user?.password_hash, normal, address)
  if (matches && user !== undefined) await renew(deps, user, normal, address)
  return matches
}

/** The only moment at which a hash of former parameters can be made anew. */
async function renew(deps: UserWrites, user: UserRow, password: string, address: string): Promise<void> {
  const { password_hash: stored } = user
  if (stored === null || !deps.passwords.isOutdated(stored)) return
  const hash = await deps.passwords.hash(password, address)
  await deps.store.transaction(async (tx) => {
    const row = await readUser(tx, 'id', user.id)
    if (row?.password_hash === stored) await updateUser(tx, user.id, { password_hash: hash })
  })
}
