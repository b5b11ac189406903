// An address is about to go. What was written of its person until now, and that it goes, is for who reads mail at it: they
// are put there as rows in the transaction of the change, and not when the leader comes by, who would find the new one.

import { readLedgerOf } from '../../storage/sql/ledger/ledger-of-person.js'
import { readNoticeCursor } from '../../storage/sql/people/notices/notice-cursor.js'
import { addNotice } from '../../storage/sql/people/notices/waiting-notices.js'
import type { UserRow } from '../../storage/sql/people/users.js'
import type { Statements } from '../../storage/sql/store.js'
import type { UserWrites } from '../writes.js'
import { mostWaiting } from './gather-notices.js'
import { noticeOf } from './notice-of-event.js'

/** Of one person, newest first, until the leader came by: more than an intruder can do within its seconds. */
const mostEvents = 2000

/**
 * Inside the transaction that has changed the address, after its event; `former` is the person as they were. Nothing
 * where no mail server is configured, or there was no address. Throws StoreUnavailable.
 */
export async function keepNoticesAt(
  deps: Pick<UserWrites, 'mail'>,
  { tx, nowMs }: { tx: Statements; nowMs: number },
  former: UserRow,
): Promise<void> {
  if (deps.mail === undefined || former.email === '') return
  const { id: user_id, email, language } = former
  for (const row of await readLedgerOf(tx, user_id, await readNoticeCursor(tx), mostEvents)) {
    const notice = noticeOf(row)
    if (notice === undefined || (notice.to !== 'person' && notice.to !== 'former address')) continue
    const waiting = { created_at: nowMs, attempts: 0, next_at: nowMs, email, language, kind: notice.counted }
    await addNotice(tx, { position: row.position, user_id, ...waiting }, mostWaiting)
  }
}
