// A passkey that is not used any more, or was lost.

import { write } from '../directory/writes.js'
import { account } from '../ledger/account.js'
import { deletePasskey } from '../memory/store/passkeys.js'
import { UserRefusal } from './refusal.js'
import type { UserWrites } from './writes.js'

/** Forgets a passkey of this user. Throws UserRefusal (PasskeyNotFound) and StoreUnavailable. */
export async function removePasskey(deps: UserWrites, userId: string, credentialId: string): Promise<void> {
  await write(deps, async ({ tx }) => {
    if (!(await deletePasskey(tx, userId, credentialId))) {
      throw new UserRefusal('PasskeyNotFound', 'There is no such passkey.')
    }
    await account(deps, tx, { event: 'user.passkey-removed', userId })
  })
}
