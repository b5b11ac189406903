// The one statement that makes a code of the second factor good once.

import type { Statements } from '../store.js'

/** Notes the time step of an accepted code; false when this one or a later one was accepted before. */
export async function takeTotpStep(tx: Statements, userId: string, step: number): Promise<boolean> {
  const taken = await tx
    .updateTable('users')
    .set({ totp_last_step: step })
    .where('id', '=', userId)
    .where('totp_secret', 'is not', null)
    .where((where) => where.or([where('totp_last_step', 'is', null), where('totp_last_step', '<', step)]))
    .returning('id')
    .executeTakeFirst()
  return taken !== undefined
}
