// From rows that wait to mails. A row is begun before its mail is handed in and deleted after it: what ends in between
// makes one mail come twice, with the same Message-ID, and none get lost. Rows do not wait for each other.

import { createHash } from 'node:crypto'
import { type Language, languageOfTag } from '../../languages/language.js'
import { readLedger } from '../../storage/sql/ledger/ledger-entries.js'
import {
  deleteNotice,
  deleteOldNotices,
  listDueNotices,
  moveNotice,
} from '../../storage/sql/people/notices/due-notices.js'
import { readNoticeCursor, readReaders } from '../../storage/sql/people/notices/notice-cursor.js'
import { countNotices, type WaitingNotice } from '../../storage/sql/people/notices/waiting-notices.js'
import { countMail } from '../mail/mail-limits.js'
import { type MailText, mailsIn } from '../mail/mail-texts.js'
import { hostOf, MailNotTaken, sendMail } from '../mail/send-mail.js'
import { MailLimitReached } from '../refusal.js'
import type { UserWrites } from '../writes.js'
import { type Notice, noticeOf } from './notice-of-event.js'

/** Of a round; the next one is seconds away. */
const mostMails = 100
/** A mail server away for longer than a long weekend: nobody takes it for news. */
const oldestMs = 3 * 86_400_000
/** Within three hours: an address that is refused for good each time is none. */
const mostRefusals = 12
/** More than all time-outs of one mail together. */
const lostAfterMs = 5 * 60_000
const firstPauseMs = 30_000
const longestPauseMs = 30 * 60_000
const deletedAtOnce = 500
/** Of one person and kind: from then on not each may be mailed. */
const manyWaiting = 10

/** Mails what is due. A mail server that takes nothing at all ends the round. Throws StoreUnavailable. */
export async function sendNotices(deps: UserWrites): Promise<void> {
  await giveUpOldOnes(deps)
  if (deps.mail === undefined) return
  const { reader } = deps.store
  // What is written with a change of address may be ahead of what was gathered, and must be there when that comes by.
  const gathered = await readNoticeCursor(reader)
  for (const waiting of await listDueNotices(reader, { nowMs: deps.now(), until: gathered, limit: mostMails })) {
    if ((await send(deps, waiting)) === 'no server') return
  }
}

async function giveUpOldOnes({ store, now, onMailError }: UserWrites): Promise<void> {
  const count = await store.transaction((tx) => deleteOldNotices(tx, now() - oldestMs, deletedAtOnce))
  if (count > 0) onMailError(new Error(`${count} notices were not taken by the mail server for three days: given up`))
}

async function send(deps: UserWrites, waiting: WaitingNotice): Promise<'done' | 'no server'> {
  const begun = { attempts: waiting.attempts + 1, next_at: deps.now() + lostAfterMs }
  // Of two that lead for a moment one goes on.
  if (!(await deps.store.transaction((tx) => moveNotice(tx, waiting, begun)))) return 'done'
  const notice = await currentNotice(deps, waiting)
  if (notice === undefined) return end(deps, waiting)
  const later = (pauseMs: number, attempts = begun.attempts) =>
    deps.store.transaction((tx) =>
      moveNotice(tx, { ...waiting, ...begun }, { attempts, next_at: deps.now() + pauseMs }),
    )
  try {
    // What is tried again was counted before.
    if (waiting.attempts === 0) await countMail(deps, { kind: notice.kind, counted: notice.counted, to: waiting.email })
    const language = languageOfTag(waiting.language) ?? deps.settings.language
    const reader = { email: waiting.email, language, tenantId: notice.tenantId }
    await sendMail(deps, reader, await textOf(deps, waiting, notice, language), idOf(deps, waiting))
  } catch (error) {
    if (error instanceof MailLimitReached) {
      if (notice.kind !== 'account') return end(deps, waiting)
      await later(error.retryAfterSeconds * 1000, 0)
      return 'done'
    }
    if (!(error instanceof MailNotTaken)) throw error
    deps.onMailError(error)
    if (error.isFinal && begun.attempts >= mostRefusals) return end(deps, waiting)
    await later(Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(waiting.attempts, 10)))
    return error.isOfThisMail ? 'done' : 'no server'
  }
  return end(deps, waiting)
}

async function end({ store }: UserWrites, waiting: WaitingNotice): Promise<'done'> {
  await store.transaction((tx) => deleteNotice(tx, waiting))
  return 'done'
}

/** Undefined: its event is gone, or its reader is disabled, or has switched such mail off since. */
async function currentNotice({ store }: UserWrites, waiting: WaitingNotice): Promise<Notice | undefined> {
  const [row] = await readLedger(store.reader, waiting.position - 1, 1)
  if (row?.position !== waiting.position) return undefined
  const notice = noticeOf(row)
  // Whatever became of the account: who reads mail there hears that it has another address.
  if (notice?.to === 'former address') return notice
  const readers = await readReaders(store.reader, [waiting.user_id], notice?.kind === 'work')
  return readers.length === 0 ? undefined : notice
}

async function textOf(deps: UserWrites, waiting: WaitingNotice, notice: Notice, language: Language): Promise<MailText> {
  const around = { host: hostOf(deps), url: `${deps.baseUrl}${notice.path}`, language }
  const mails = mailsIn(deps, language)
  const { subject, text } = notice.text(mails, around)
  // The last that comes of a flood says that there was one.
  const isFlood = notice.kind === 'account' && (await countNotices(deps.store.reader, waiting)) >= manyWaiting
  return { subject, text: isFlood ? `${text}\n${mails.moreChanges}\n` : text }
}

/** The same for each attempt, and for no other event or reader. */
function idOf(deps: UserWrites, { position, user_id, created_at }: WaitingNotice): string {
  const digest = createHash('sha256').update(`notice ${position} ${user_id} ${created_at}`).digest('base64url')
  return `${digest}@${new URL(deps.baseUrl).hostname}`
}
