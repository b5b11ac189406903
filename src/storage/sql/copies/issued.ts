// A state of earlier in place of the present one would bring back to life what has ended since: tokens that were
// revoked, sign-ins, codes, links that were used. Nothing in it can tell which, so all that was issued ends (decision 131).

import { sql } from 'kysely'
import { migrations } from '../schema/migrations.js'
import { migrate } from '../sqlite/migrate.js'
import { createConnection } from '../sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../sqlite/sqlite-library.js'
import type { Store } from '../store.js'

/** Works once, and may have: a link, a code, half a sign-in; a notice that was mailed. */
const once = [
  'one_time_links',
  'email_changes',
  'authorization_codes',
  'device_codes',
  'pending_requests',
  'waiting_notices',
]

/** The least that a gap leaves out, as in changes/numbering.ts. */
const leastGap = 1_000

/**
 * Every token names the change at which it was issued, and those that lie in a gap of the log are refused (decision 91).
 * So two gaps end them all: one over the numbers that the lost state may have given, and one behind all there ever were.
 * As changes they reach instances that run, too.
 */
function tokens(nowMs: number): string[] {
  const beyond = `(case when seq + ${leastGap} > ${nowMs} then seq + ${leastGap} else ${nowMs} end)`
  const change = 'insert into changes (seq, at, body) select'
  const gap = 'insert into feed_gaps (until_seq, after_seq, at) select'
  const head = 'from feed_head where id = 1'
  return [
    `${change} ${beyond}, ${nowMs}, '{"kind":"gap","after":' || seq || '}' ${head}`,
    `${gap} ${beyond}, seq, ${nowMs} ${head}`,
    `update feed_head set seq = ${beyond} + 1 where id = 1`,
    `${change} seq, ${nowMs}, '{"kind":"gap","after":-1}' ${head}`,
    `${gap} seq, -1, ${nowMs} ${head}`,
    'delete from sessions',
    `update grants set state = 'ended', ended_at = ${nowMs} where state = 'active'`,
    `update registration_tokens set expires_at = ${nowMs} where expires_at > ${nowMs}`,
  ]
}

/** What ends: all of it, or only what works once. */
export type Ending = 'everything' | 'once'

function statements(ending: Ending, nowMs: number): string[] {
  if (!Number.isSafeInteger(nowMs)) throw new TypeError('a time is whole milliseconds')
  return [...once.map((table) => `delete from ${table}`), ...(ending === 'once' ? [] : tokens(nowMs))]
}

/** Ends it in a store in which somebody else has put the earlier state. Throws StoreUnavailable. */
export async function endIssued(store: Store, nowMs: number): Promise<void> {
  await store.transaction(async (tx) => {
    for (const statement of statements('everything', nowMs)) await sql.raw(statement).execute(tx)
  })
}

/**
 * Ends it in a copy that nobody has open, brought to this program's schema; the file alone is the whole database
 * afterwards. Throws UnknownSchema and the engine's errors.
 */
export async function endIssuedIn(file: string, ending: Ending, nowMs: number): Promise<void> {
  const connection = createConnection(await openSqliteDatabase(file))
  try {
    connection.exec('pragma synchronous = full')
    connection.exec('pragma trusted_schema = off')
    migrate(connection, migrations, nowMs)
    connection.exec('begin immediate')
    for (const statement of statements(ending, nowMs)) connection.exec(statement)
    connection.exec('commit')
  } finally {
    connection.close()
  }
}
