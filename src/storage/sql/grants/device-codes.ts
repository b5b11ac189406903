// Queries of device codes (RFC 8628) for the client that has one: requested, polled, redeemed once. What a person
// decides about them is in device-decisions.ts.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type DeviceCodeRow = Tables['device_codes']

/** Adds a code. Throws UniqueViolation when its user code is taken, by a dead code too until that is pruned. */
export async function insertDeviceCode(tx: Statements, row: DeviceCodeRow): Promise<void> {
  await tx.insertInto('device_codes').values(row).execute()
}

/** By the hash of the device code, whatever its state. */
export function findDeviceCode(statements: Statements, deviceHash: string): Promise<DeviceCodeRow | undefined> {
  return statements.selectFrom('device_codes').selectAll().where('device_hash', '=', deviceHash).executeTakeFirst()
}

/** Notes that its client polled, and how long that has to wait from now on. */
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
