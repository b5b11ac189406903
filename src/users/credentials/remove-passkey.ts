// A passkey that is not used any more, or was lost.

import { write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { deletePasskey } from '../../storage/sql/people/passkeys.js'
import { UserRefusal } from '../refusal.js'
import { endSessionsStartedWith } from '../sessions/end-access.js'
import type { UserWrites } from '../writes.js'
import { checkFactorLeft } from './factor-demand.js'

/**
 * Forgets a passkey of this user and ends the sessions that began with one, but that of hash `except`: the finder of a
 * lost device is out of the browsers where they used it, too (C14). Throws UserRefusal (PasskeyNotFound,
 * SecondFactorRequired) and StoreUnavailable.
 */
export async function removePasskey(
  deps: UserWrites,
  userId: string,
  credentialId: string,
  except?: string,
): Promise<void> {
  await write(deps, async ({ tx }) => {
    if (!(await deletePasskey(tx, userId, credentialId))) {
      throw new UserRefusal('PasskeyNotFound', 'There is no such passkey.')
    }
    await checkFactorLeft(deps, { tx }, userId)
    const sessionsEnded = await endSessionsStartedWith({ tx }, { userId, method: 'hwk', except })
    await appendAudit(deps, tx, { event: 'user.passkey-removed', userId, details: { sessionsEnded } })
  })
}
