// A state of earlier in place of the present one would bring back to life what has ended since: tokens that were
// revoked, sign-ins, codes, links that were used. Nothing in it can tell which, so all that was issued ends (decision 131).

import { sql } from 'kysely'
import { migrations } from '../schema/migrations.js'
import { migrate } from '../sqlite/migrate.js'
import { createConnection } from '../sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../sqlite/sqlite-library.js'
import type { Store } from '../store.js'
import { tableRules } from './rules/table-rules.js'

/** Works once, and may have: a link, a code, half a sign-in; a notice that was mailed. */
const once = Object.entries(tableRules).flatMap(([table, { rows }]) => (rows === 'end' ? [table] : []))

/** The least that a gap leaves out, as in changes/numbering.ts. */
const leastGap = 1_000

/** When it ends, epoch ms, and the last number that the lost state is known to have given; 0: nobody knows. */
export interface Moment {
  nowMs: number
  lost?: number
}

/**
 * Every token names the change at which it was issued, and those that lie in a gap of the log are refused (decision 91).
 * One gap lies over the numbers that the lost state may have given: up to the last that is known, and the time of day
 * for what is not. As a change it reaches instances that run, too.
 */
function lostNumbers({ nowMs, lost = 0 }: Moment): string[] {
  const known = Math.max(nowMs, lost + leastGap)
  const beyond = `(case when seq + ${leastGap} > ${known} then seq + ${leastGap} else ${known} end)`
  return [...gap(beyond, 'seq', nowMs), `update feed_head set seq = ${beyond} where id = 1`]
}

/** And one gap behind all numbers that there ever were. */
function allNumbers({ nowMs }: Moment): string[] {
  return ['update feed_head set seq = seq + 1 where id = 1', ...gap('seq', '-1', nowMs)]
}

function gap(until: string, after: string, nowMs: number): string[] {
  const head = 'from feed_head where id = 1'
  return [
    `insert into changes (seq, at, body) select ${until}, ${nowMs}, '{"kind":"gap","after":' || (${after}) || '}' ${head}`,
    `insert into feed_gaps (until_seq, after_seq, at) select ${until}, ${after}, ${nowMs} ${head}`,
  ]
}

/** What lives longer than a token; and the instances of the copy, whose word a change would wait for. */
function issued({ nowMs }: Moment): string[] {
  return [
    'delete from instances',
    ...once.map((table) => `delete from ${table}`),
    'delete from sessions',
    `update grants set state = 'ended', ended_at = ${nowMs} where state = 'active'`,
    `update registration_tokens set expires_at = ${nowMs} where expires_at > ${nowMs}`,
  ]
}

/** What ends: all of it, only what works once, or only the tokens that the lost state issued. */
export type Ending = 'everything' | 'once' | 'lost'

function statements(ending: Ending, moment: Moment): string[] {
  if (ending === 'once') return once.map((table) => `delete from ${table}`)
  if (ending === 'lost') return lostNumbers(moment)
  return [...lostNumbers(moment), ...allNumbers(moment), ...issued(moment)]
}

/**
 * Ends it in a store in which somebody else has put the earlier state: tokens first, so that they are refused whatever
 * becomes of the rest. It may be done again. Throws StoreUnavailable.
 */
export async function endIssued(store: Store, nowMs: number): Promise<void> {
  const moment = checked({ nowMs })
  for (const part of [[...lostNumbers(moment), ...allNumbers(moment)], issued(moment)]) {
    await store.transaction(async (tx) => {
      for (const statement of part) await sql.raw(statement).execute(tx)
    })
  }
}

/**
 * Ends it in a database that nobody has open, brought to this program's schema; the file alone is the whole database
 * afterwards. Throws UnknownSchema and the engine's errors.
 */
export async function endIssuedIn(file: string, ending: Ending, moment: Moment): Promise<void> {
  const wanted = statements(ending, checked(moment))
  const connection = createConnection(await openSqliteDatabase(file))
  try {
    connection.exec('pragma synchronous = full')
    connection.exec('pragma trusted_schema = off')
    migrate(connection, migrations, moment.nowMs)
    connection.exec('begin immediate')
    for (const statement of wanted) connection.exec(statement)
    connection.exec('commit')
  } finally {
    connection.close()
  }
}

function checked(moment: Moment): Moment {
  if (![moment.nowMs, moment.lost ?? 0].every(Number.isSafeInteger)) throw new TypeError('times and numbers are whole')
  return moment
}
