// Queries of device codes (RFC 8628): asked for by a client, decided by a person who typed the user code, redeemed once.

import type { Statements } from './store.js'
import type { Tables } from './tables.js'

export type DeviceCodeRow = Tables['device_codes']

/** Adds a code. Throws UniqueViolation when its user code is taken, by a dead code too until that is pruned. */
export async function insertDeviceCode(tx: Statements, row: DeviceCodeRow): Promise<void> {
  await tx.insertInto('device_codes').values(row).execute()
}

/** By the hash of the device code, whatever its state. */
export function findDeviceCode(statements: Statements, deviceHash: string): Promise<DeviceCodeRow | undefined> {
  return statements.selectFrom('device_codes').selectAll().where('device_hash', '=', deviceHash).executeTakeFirst()
}

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

/** Notes that its client asked, and how long that has to wait from now on. */
export async function notePoll(
  tx: Statements,
  deviceHash: string,
  poll: { at: number; intervalSeconds: number },
): Promise<void> {
  await tx
    .updateTable('device_codes')
    .set({ last_polled_at: poll.at, interval_seconds: poll.intervalSeconds })
    .where('device_hash', '=', deviceHash)
    .execute()
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

/** Redeems an approved code: true exactly once, which closes the race of two polls. */
export async function redeemDeviceCode(tx: Statements, deviceHash: string): Promise<boolean> {
  const updated = await tx
    .updateTable('device_codes')
    .set({ state: 'redeemed' })
    .where('device_hash', '=', deviceHash)
    .where('state', '=', 'approved')
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
