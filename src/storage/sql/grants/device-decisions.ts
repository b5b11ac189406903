// Queries of device codes for the person who typed the user code, and for the sweep.

import type { Statements } from '../store.js'
import type { DeviceCodeRow } from './device-codes.js'

/** The undecided, unexpired code of one of these user codes' hashes (the same code under each key). */
export function findUserCode(
  statements: Statements,
  userCodeHashes: readonly string[],
  now: number,
): Promise<DeviceCodeRow | undefined> {
  return statements
    .selectFrom('device_codes')
    .selectAll()
    .where('user_code_hash', 'in', userCodeHashes)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Decides a code that is still undecided and unexpired; true exactly once. */
export async function decideDeviceCode(
  tx: Statements,
  deviceHash: string,
  decision: { state: 'approved' | 'denied'; userId: string; grantId: string | null; now: number },
): Promise<boolean> {
  const updated = await tx
    .updateTable('device_codes')
    .set({ state: decision.state, user_id: decision.userId, grant_id: decision.grantId })
    .where('device_hash', '=', deviceHash)
    .where('state', '=', 'pending')
    .where('expires_at', '>', decision.now)
    .executeTakeFirst()
  return Number(updated.numUpdatedRows) === 1
}

/** Deletes codes that ended before `before`, at most `limit`; returns how many. */
export async function pruneDeviceCodes(tx: Statements, before: number, limit: number): Promise<number> {
  const result = await tx
    .deleteFrom('device_codes')
    .where('device_hash', 'in', (ended) =>
      ended
        .selectFrom('device_codes')
        .select('device_hash')
        .where('expires_at', '<', before)
        .orderBy('expires_at')
        .orderBy('device_hash')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
