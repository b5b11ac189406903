// Word to a person whose password is being guessed at: once a day at most, and after the answer, which does not show
// whether there is such a person.

import type { UserRow } from '../../storage/sql/people/users.js'
import { mailNotice } from '../mail/mail.js'
import { toUser } from '../records.js'
import type { UserWrites } from '../writes.js'

/** Sends it later, when a mail server is configured. Never throws: `onMailError` hears why it did not go. */
export function notifyOfFailures(deps: UserWrites, user: UserRow): void {
  deps.activity.note({
    event: 'user.sign-in-delayed',
    userId: user.id,
    details: { proof: 'password', account: 'full' },
  })
  if (deps.mail === undefined || user.state !== 'enabled') return
  setImmediate(() => void tell(deps, user).catch(deps.onMailError))
}

async function tell(deps: UserWrites, user: UserRow): Promise<void> {
  if (await deps.mayTell(user.id)) await mailNotice(deps, toUser(user), 'manyFailures')
}
