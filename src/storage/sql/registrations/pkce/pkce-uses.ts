// Authorization requests that got a code, with and without a PKCE challenge, by application and day: added in batches
// (usage.ts), read for one application, and taken away when they are too old to say anything.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'
import { countedSince } from '../../usage/counted-since.js'
import { pkceTables } from './pkce-tables.js'

export type PkceUsageRow = Tables['pkce_usage']

/** The requests of one day (days since 1970 in UTC); `last_without_at` is 0 where all had a challenge. */
export type PkceUseOfDay = Omit<PkceUsageRow, 'application_id'>

/** Adds to what is there. Each application and day at most once in `rows`. */
export async function addPkceUsage(tx: Statements, rows: readonly PkceUsageRow[]): Promise<void> {
  await tx
    .insertInto('pkce_usage')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['application_id', 'day']).doUpdateSet((eb) => ({
        with_challenge: eb('pkce_usage.with_challenge', '+', eb.ref('excluded.with_challenge')),
        without_challenge: eb('pkce_usage.without_challenge', '+', eb.ref('excluded.without_challenge')),
        // Instances come in any order, and clocks differ.
        last_without_at: eb
          .case()
          .when('excluded.last_without_at', '>', eb.ref('pkce_usage.last_without_at'))
          .then(eb.ref('excluded.last_without_at'))
          .else(eb.ref('pkce_usage.last_without_at'))
          .end(),
      })),
    )
    .execute()
}

/** The requests of an application from `day` on, the oldest day first; days without any are not among them. */
export async function readPkceUsage(
  statements: Statements,
  applicationId: string,
  day: number,
): Promise<PkceUseOfDay[]> {
  const rows = await statements
    .selectFrom('pkce_usage')
    .select(['day', 'with_challenge', 'without_challenge', 'last_without_at'])
    .where('application_id', '=', applicationId)
    .where('day', '>=', day)
    .orderBy('day')
    .execute()
  return rows.map((row) => ({
    day: Number(row.day),
    with_challenge: Number(row.with_challenge),
    without_challenge: Number(row.without_challenge),
    last_without_at: Number(row.last_without_at),
  }))
}

/** Since when this is counted here (epoch ms): the time of the migration that made the table. */
export async function pkceCountedSince(statements: Statements): Promise<number> {
  return countedSince(statements, pkceTables)
}

/** Deletes the counts of days before `day`, at most `limit` rows; how many. */
export async function deletePkceUsage(tx: Statements, day: number, limit: number): Promise<number> {
  const key = ['application_id', 'day'] as const
  const dead = tx.selectFrom('pkce_usage').select(key).where('day', '<', day).orderBy('day').limit(limit)
  const deleted = await tx
    .deleteFrom('pkce_usage')
    .where(({ eb, refTuple }) => eb(refTuple(...key), 'in', dead.$asTuple(...key)))
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
