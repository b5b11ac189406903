// Queries of links that work once. Only the hash of a link is in a row.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type OneTimeLinkRow = Tables['one_time_links']

/** Adds a link; its hash is new. */
export async function insertLink(tx: Statements, row: OneTimeLinkRow): Promise<void> {
  await tx.insertInto('one_time_links').values(row).execute()
}

/**
 * The links that can still be used at `atMs`: the one with this hash, or a tenant's or user's of one purpose, the
 * oldest first.
 */
export async function readLinks(
  statements: Statements,
  atMs: number,
  filter: { hash: string } | { purpose: string; tenantId: string } | { purpose: string; userId: string },
): Promise<OneTimeLinkRow[]> {
  let rows = statements.selectFrom('one_time_links').selectAll().where('used_at', 'is', null)
  rows = rows.where('expires_at', '>', atMs)
  if ('hash' in filter) rows = rows.where('hash', '=', filter.hash)
  else {
    rows = rows.where('purpose', '=', filter.purpose)
    rows =
      'userId' in filter ? rows.where('user_id', '=', filter.userId) : rows.where('tenant_id', '=', filter.tenantId)
  }
  return rows.orderBy('created_at').orderBy('hash').execute()
}

/** Uses a link up: its row exactly once, and only before its end. */
export async function takeLink(tx: Statements, hash: string, atMs: number): Promise<OneTimeLinkRow | undefined> {
  return tx
    .updateTable('one_time_links')
    .set({ used_at: atMs })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', atMs)
    .returningAll()
    .executeTakeFirst()
}

/** Ends the unused links of a purpose; of those only what the filter names. How many. */
export async function deleteLinks(
  tx: Statements,
  filter: { purpose: string; userId?: string; tenantId?: string; email?: string; hash?: string; createdBy?: string },
): Promise<number> {
  let links = tx.deleteFrom('one_time_links').where('purpose', '=', filter.purpose).where('used_at', 'is', null)
  if (filter.userId !== undefined) links = links.where('user_id', '=', filter.userId)
  if (filter.tenantId !== undefined) links = links.where('tenant_id', '=', filter.tenantId)
  if (filter.email !== undefined) links = links.where('email', '=', filter.email)
  if (filter.hash !== undefined) links = links.where('hash', '=', filter.hash)
  if (filter.createdBy !== undefined) links = links.where('created_by', '=', filter.createdBy)
  return Number((await links.executeTakeFirst()).numDeletedRows)
}
