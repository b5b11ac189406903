// A passkey's name is for its person only.

import { checkName } from '../../directory/applications/names.js'
import { write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { renamePasskey as renamePasskeyRow } from '../../storage/sql/people/passkey-names.js'
import { UserRefusal } from '../refusal.js'
import type { UserWrites } from '../writes.js'

/**
 * Renames a passkey of this user. Throws UserRefusal (PasskeyNotFound), DirectoryRefusal (InvalidName) and
 * StoreUnavailable.
 */
export async function renamePasskey(
  deps: UserWrites,
  { userId, credentialId, name }: { userId: string; credentialId: string; name: string },
): Promise<void> {
  const checked = checkName(name, 'name', 'label')
  await write(deps, async ({ tx }) => {
    if (!(await renamePasskeyRow(tx, { userId, credentialId, name: checked }))) {
      throw new UserRefusal('PasskeyNotFound', 'There is no such passkey.')
    }
    await appendAudit(deps, tx, { event: 'user.passkey-renamed', userId })
  })
}
