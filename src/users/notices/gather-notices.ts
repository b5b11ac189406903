// From the ledger to rows that wait: who is to hear of what. A row and the place in the ledger are one transaction, so no
// event is left out and none is taken twice, whatever ends in between.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { readLedger } from '../../storage/sql/ledger/ledger-entries.js'
import type { LedgerRow } from '../../storage/sql/ledger/ledger-head.js'
import { readAdministrators } from '../../storage/sql/people/memberships.js'
import {
  moveNoticeCursor,
  type Reader,
  readNoticeCursor,
  readReaders,
} from '../../storage/sql/people/notices/notice-cursor.js'
import { addNotices } from '../../storage/sql/people/notices/waiting-notices.js'
import { readOwners } from '../../storage/sql/registrations/application-owners.js'
import type { Statements } from '../../storage/sql/store.js'
import type { UserWrites } from '../writes.js'
import { type Notice, noticeOf } from './notice-of-event.js'

/** In one transaction, with some five statements for each. */
const rowsAtOnce = 25
const mostTurns = 400
const mostReaders = 50
/** For each person and what is counted together; who has as many waiting learns nothing from one more like them. */
export const mostWaiting = 100

/**
 * Follows the ledger to its end, or as far as one round goes. Where no mail server is configured it is only read. Throws
 * StoreUnavailable.
 */
export async function gatherNotices(deps: UserWrites): Promise<void> {
  for (let turn = 0; turn < mostTurns && (await gather(deps)); turn += 1) await nextTurn()
}

/** False at the end of the ledger, and when another instance is at it. */
async function gather(deps: UserWrites): Promise<boolean> {
  const from = await readNoticeCursor(deps.store.reader)
  const rows = await readLedger(deps.store.reader, from, rowsAtOnce)
  const to = rows.at(-1)?.position
  if (to === undefined || to <= from) return false
  const isMine = await deps.store.transaction(async (tx) => {
    if (!(await moveNoticeCursor(tx, from, to))) return false
    for (const row of deps.mail === undefined ? [] : rows) await addFor(tx, row, deps.now())
    return true
  })
  return isMine && rows.length === rowsAtOnce
}

async function addFor(tx: Statements, row: LedgerRow, nowMs: number): Promise<void> {
  const notice = noticeOf(row)
  if (notice === undefined) return
  const waiting = { position: row.position, created_at: nowMs, attempts: 0, next_at: nowMs, kind: notice.counted }
  const readers = await readersOf(tx, notice, row)
  const notices = readers.map(({ userId, ...reader }) => ({ ...waiting, user_id: userId, ...reader }))
  await addNotices(tx, notices, mostWaiting)
}

/** Nobody hears of work that they did themselves; of their own account everybody does. */
async function readersOf(tx: Statements, { to, kind }: Notice, row: LedgerRow): Promise<Reader[]> {
  const isWork = kind === 'work'
  // Its row was written with the change, when the former address was known (notices-before-change.ts).
  if (to === 'former address') return []
  if (to === 'person') return readReaders(tx, row.user_id === null ? [] : [row.user_id], isWork)
  const owners = to === 'owners' && row.application_id !== null ? await readOwners(tx, row.application_id) : []
  const people = owners.map(({ owner_id: id }) => id)
  const found = await readReaders(tx, people, isWork)
  if (found.length > 0 || row.tenant_id === null) return found
  const administrators = await readAdministrators(tx, row.tenant_id, mostReaders)
  const others = administrators.map(({ userId }) => userId).filter((userId) => !row.actor.includes(`"${userId}"`))
  return readReaders(tx, others, isWork)
}
