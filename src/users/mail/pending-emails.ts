// The addresses that people requested and that do not count yet.

import { hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { readEmailChanges } from '../../storage/sql/people/email-changes.js'
import type { Statements } from '../../storage/sql/store.js'
import type { UserWrites } from '../writes.js'

/** The addresses that these people wait for. Throws StoreUnavailable. */
export async function pendingEmails(
  { store, now }: Pick<UserWrites, 'store' | 'now'>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await readEmailChanges(store.reader, userIds, now())
  return new Map(rows.map(({ user_id: userId, email }) => [userId, email]))
}

/** The address that this link confirms for that person; undefined when it does not. Throws StoreUnavailable. */
export async function emailOfLink(
  reader: Statements,
  userId: string,
  secret: string,
  nowMs: number,
): Promise<string | undefined> {
  if (!/^pcl_oe_[0-9A-Za-z]{43}$/.test(secret)) return undefined
  const [row] = await readEmailChanges(reader, [userId], nowMs)
  return row?.hash === hashOpaqueToken(secret) ? row.email : undefined
}
