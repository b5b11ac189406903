// How much mail goes out in whose name (contract §8): nobody fills a mailbox, and nobody makes this server send for
// them what others should not get. Counted in the Store, so that all instances count together and a restart forgets
// nothing.
//
// What the limits know is a time for each subject, which every mail moves on by its share of the period: a full period
// ahead of now, nothing more goes until it has come closer (the generic cell rate algorithm).

import { createHash } from 'node:crypto'
import { moveMailAllowance, readMailAllowances } from '../../storage/sql/people/mail-allowances.js'
import { MailLimitReached } from '../refusal.js'
import type { UserWrites } from '../writes.js'
import { emailKey } from './email.js'

interface Rate {
  limit: number
  periodMs: number
}

/**
 * Why a mail goes. `invitation`: somebody wants another to join. `own`: a link for the account of its reader,
 * which untrusted parties can ask for too: were it counted with the others, they could use up what its owner needs.
 * `account`: word of a change to an account, which nobody may be able to silence by causing other mail, of the same account
 * either: each kind of change is counted by itself. `sign-in`: word of
 * a sign-in, of which an intruder can make many. `news`:
 * word to the administrators of a tenant, to all of them at once, for which `to` is nobody. `work`: word of what waits for
 * somebody, each event counted by itself: anybody can ask for consent.
 */
export type MailKind = 'invitation' | 'own' | 'account' | 'sign-in' | 'news' | 'work'

/**
 * Those of one's own come hourly at least, so that no flood keeps somebody from a new password for longer than that.
 */
const ownPerRecipient: Rate = { limit: 24, periodMs: 24 * 3_600_000 }
const changesPerRecipient: Rate = { limit: 48, periodMs: 24 * 3_600_000 }
const signInsPerRecipient: Rate = { limit: 12, periodMs: 24 * 3_600_000 }
/** Of each event. Somebody who has more to do than that looks at the portal. */
const workPerRecipient: Rate = { limit: 12, periodMs: 24 * 3_600_000 }
/** What happens in between is in the next one. */
const newsPerTenant: Rate = { limit: 1, periodMs: 3_600_000 }

/**
 * Counts one mail, before its link is made. Throws MailLimitReached, and then nothing is counted; StoreUnavailable.
 * Nothing happens where no mail is sent.
 */
export async function countMail(
  deps: Pick<UserWrites, 'store' | 'mail' | 'actor' | 'now'>,
  sending: { kind: MailKind; to: string; tenantId?: string | undefined; counted?: string },
): Promise<void> {
  if (deps.mail === undefined) return
  const rates = ratesOf(deps, deps.mail, sending)
  const nowMs = deps.now()
  const waitMs = await deps.store.transaction(async (tx) => {
    const known = await readMailAllowances(tx, [...rates.keys()])
    let wait = 0
    for (const [subject, { limit, periodMs }] of rates) {
      const until = Math.max(known.get(subject) ?? 0, nowMs) + Math.ceil(periodMs / limit)
      wait = Math.max(wait, until - nowMs - periodMs)
    }
    if (wait > 0) return wait
    for (const [subject, { limit, periodMs }] of rates) {
      await moveMailAllowance(tx, subject, Math.max(known.get(subject) ?? 0, nowMs) + Math.floor(periodMs / limit))
    }
    return 0
  })
  if (waitMs > 0) throw new MailLimitReached(Math.max(1, Math.ceil(waitMs / 1000)))
}

/** What is counted for this mail, by subject; whom is said by a digest. */
function ratesOf(
  { actor }: Pick<UserWrites, 'actor'>,
  { perTenant, perRecipient, perSender, overall }: NonNullable<UserWrites['mail']>,
  { kind, to, tenantId, counted = kind }: Parameters<typeof countMail>[1],
): Map<string, Rate> {
  // Counted with nothing else, so that neither other mail keeps it back nor it other mail.
  if (kind === 'news') return new Map([[`news ${tenantId ?? ''}`, newsPerTenant]])
  const recipient = `recipient ${kind} ${digest(emailKey(to))}`
  if (kind === 'work') return new Map([[`${recipient} ${counted}`, workPerRecipient]])
  if (kind === 'account') return new Map([[`${recipient} ${counted}`, changesPerRecipient]])
  if (kind === 'sign-in') return new Map([[recipient, signInsPerRecipient]])
  const rates = new Map([[recipient, kind === 'own' ? ownPerRecipient : perRecipient]])
  rates.set('overall', overall)
  const sender = actor.kind === 'user' ? actor.userId : actor.kind === 'application' ? actor.applicationId : undefined
  if (sender !== undefined) rates.set(`sender ${sender}`, perSender)
  if (tenantId !== undefined) rates.set(`tenant ${tenantId}`, perTenant)
  return rates
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32)
}
