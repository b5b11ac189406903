// Whether the master keys open what a database holds. A server that starts without the right one refuses; so does what
// is about to put a database in place.

import type { SealedKey } from '../../../storage/sql/copies/sealed-keys.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'

/** Throws CommandFailure when the keys do not open `sealed`; `where` says where they come from. */
export async function requireMasterKeys(
  masterKeys: readonly Uint8Array[],
  sealed: readonly SealedKey[],
  where: string,
): Promise<void> {
  if (sealed.length === 0) return
  if (masterKeys.length === 0) {
    throw new CommandFailure(exitCodes.usage, `there is no master key: ${where}`)
  }
  const { createKeyEncryption, MasterKeyMismatch } = await import('../../../tokens/keys/key-encryption.js')
  const encryption = createKeyEncryption(masterKeys)
  try {
    for (const key of sealed) encryption.open(key.sealed, key.kid)
  } catch (error) {
    if (!(error instanceof MasterKeyMismatch)) throw error
    throw new CommandFailure(exitCodes.usage, `${error.message}. ${where}`, { cause: error })
  }
}
