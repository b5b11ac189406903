// Word by mail of what the ledger tells: to a person of what happened to their account, to administrators and owners of
// applications of what waits for them. The ledger is the outbox, as for events (decision 66), so nothing is forgotten by a
// restart and nothing is told by two instances. The leader does this.

import { languageOfTag } from '../../languages/language.js'
import { readLedger } from '../../storage/sql/ledger/ledger-entries.js'
import type { LedgerRow } from '../../storage/sql/ledger/ledger-head.js'
import { readAdministrators } from '../../storage/sql/people/memberships.js'
import {
  moveNoticeCursor,
  type Reader,
  readNoticeCursor,
  readReaders,
} from '../../storage/sql/people/notices/notice-cursor.js'
import { readOwners } from '../../storage/sql/registrations/application-owners.js'
import { countMail } from '../mail/mail-limits.js'
import { mailsIn } from '../mail/mail-texts.js'
import { hostOf, sendMail } from '../mail/send-mail.js'
import { MailLimitReached } from '../refusal.js'
import type { UserWrites } from '../writes.js'
import { type Notice, noticeOf } from './notice-of-event.js'

const rowsAtOnce = 500
const mostTurns = 20
const mostReaders = 50
/** What is older is no news: the mail server, or this one, was away. */
const oldestMs = 86_400_000

/**
 * One round: everything that was written since the last one. Where no mail server is configured nothing is told later
 * either. A mail server that takes nothing ends the round, and the next one begins there. Throws StoreUnavailable.
 */
export async function mailNotices(deps: UserWrites): Promise<void> {
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const from = await readNoticeCursor(deps.store.reader)
    const rows = await readLedger(deps.store.reader, from, rowsAtOnce)
    let read = from
    for (const row of rows) {
      const notice = deps.mail === undefined || row.at < deps.now() - oldestMs ? undefined : noticeOf(row)
      if (notice !== undefined) {
        // First the place, then the mail: of two that lead for a moment one tells it.
        if (!(await move(deps, read, row.position))) return
        if (!(await tell(deps, notice, row))) {
          await move(deps, row.position, read)
          return
        }
        read = row.position
      }
    }
    const last = rows.at(-1)?.position ?? read
    if (last > read && !(await move(deps, read, last))) return
    if (rows.length < rowsAtOnce) return
  }
}

function move({ store }: UserWrites, from: number, to: number): Promise<boolean> {
  return store.transaction((tx) => moveNoticeCursor(tx, from, to))
}

/** False when there was somebody to tell and the mail server took nothing. */
async function tell(deps: UserWrites, notice: Notice, row: LedgerRow): Promise<boolean> {
  const readers = await readersOf(deps, notice, row)
  let [taken, failed] = [0, 0]
  for (const { email, language: tag } of readers) {
    const language = languageOfTag(tag) ?? deps.settings.language
    const around = { host: hostOf(deps), url: `${deps.baseUrl}${notice.path}`, language }
    try {
      await countMail(deps, { kind: notice.isWork ? 'work' : 'notice', to: email })
      await sendMail(deps, email, notice.text(mailsIn(deps, language), around))
      taken += 1
    } catch (error) {
      if (error instanceof MailLimitReached) continue
      deps.onMailError(error)
      failed += 1
    }
  }
  return taken > 0 || failed === 0
}

/** Nobody is told of work that they did themselves; of their own account everybody is. */
async function readersOf({ store }: UserWrites, { to, isWork }: Notice, row: LedgerRow): Promise<Reader[]> {
  const { reader } = store
  if (to === 'person') return readReaders(reader, row.user_id === null ? [] : [row.user_id], isWork)
  const owners = to === 'owners' && row.application_id !== null ? await readOwners(reader, row.application_id) : []
  const people = owners.map(({ owner_id: id }) => id)
  const found = await readReaders(reader, people, isWork)
  if (found.length > 0 || row.tenant_id === null) return found
  const administrators = await readAdministrators(reader, row.tenant_id, mostReaders)
  const others = administrators.map(({ userId }) => userId).filter((userId) => !row.actor.includes(`"${userId}"`))
  return readReaders(reader, others, isWork)
}
