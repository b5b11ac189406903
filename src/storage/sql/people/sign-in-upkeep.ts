// Sessions and one-time links that nobody can use any more leave, in bounded batches.

import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** What is dead, epoch ms; `ways`: there are these, and who came by another one has not used it since `endedBefore`. */
interface DeadSessions {
  endedBefore: number
  idleBefore: number
  ways?: PresentWays | undefined
}

/**
 * Deletes sessions that ended before `endedBefore` or were last used before `idleBefore` (epoch ms), and those by a way
 * that is there no more, at most `limit`; how many.
 */
export async function deleteDeadSessions(tx: Statements, dead: DeadSessions, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom('sessions')
    .select('id_hash')
    .where((where) => isDead(where, dead))
    .orderBy('id_hash')
    .limit(limit)
    .execute()
  const hashes = rows.map((row) => row.id_hash)
  if (hashes.length === 0) return 0
  const deleted = await tx
    .deleteFrom('sessions')
    .where('id_hash', 'in', hashes)
    // Said again for the row itself: it may have been used since it was chosen.
    .where((where) => isDead(where, dead))
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

function isDead(
  where: ExpressionBuilder<Pick<Tables, 'sessions'>, 'sessions'>,
  { endedBefore, idleBefore, ways }: DeadSessions,
): Expression<SqlBool> {
  // An instance that has the provider still notes each use: such a session is not taken from anybody.
  const lost = ways && where.and([where('last_seen_at', '<', endedBefore), isByLostWay(where, ways)])
  return where.or([
    where('expires_at', '<', endedBefore),
    where('last_seen_at', '<', idleBefore),
    ...(lost === undefined ? [] : [lost]),
  ])
}

/** Deletes links that ended before `endedBefore` (epoch ms), used or not, at most `limit`; how many. */
export async function deleteDeadLinks(tx: Statements, endedBefore: number, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom('one_time_links')
    .select('hash')
    .where('expires_at', '<', endedBefore)
    .orderBy('expires_at')
    .orderBy('hash')
    .limit(limit)
    .execute()
  const hashes = rows.map((row) => row.hash)
  if (hashes.length > 0) await tx.deleteFrom('one_time_links').where('hash', 'in', hashes).execute()
  return hashes.length
}

/** Of the ways that start with `prefix`, those that `are` there; all others are. */
export interface PresentWays {
  prefix: string
  are: readonly string[]
}

/** Whether the session is by a way that is there no more. */
export function isByLostWay(
  where: ExpressionBuilder<Pick<Tables, 'sessions'>, 'sessions'>,
  { prefix, are }: PresentWays,
): Expression<SqlBool> {
  const isOfThem = sql<SqlBool>`substr(${where.ref('sessions.sign_in_way')}, 1, ${sql.lit(prefix.length)}) = ${prefix}`
  return where.and([isOfThem, ...(are.length === 0 ? [] : [where('sessions.sign_in_way', 'not in', [...are])])])
}
