// The name that a person gives a WebAuthn credential.

import type { Statements } from '../store.js'

/** Gives a credential of this user another name; false when there was none. */
export async function renamePasskey(
  tx: Statements,
  { userId, credentialId, name }: { userId: string; credentialId: string; name: string },
): Promise<boolean> {
  const renamed = await tx
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('credential_id', '=', credentialId)
    .returning('credential_id')
    .executeTakeFirst()
  return renamed !== undefined
}
