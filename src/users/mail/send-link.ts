// Links on their way to people: by mail where there is a mail server, else shown to their creator.

import type { Role } from '../../config/settings/settings.js'
import { writesAs } from '../../directory/actor.js'
import { write } from '../../directory/writes.js'
import type { Language } from '../../languages/language.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { deleteLinks, readLinks } from '../../storage/sql/people/one-time-links.js'
import { createLink, type NewLink, type OneTimeLink } from '../accounts/one-time-links.js'
import { findUserByEmail } from '../accounts/users.js'
import { toUser } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { requireUser, type UserWrites } from '../writes.js'
import { mailLink, type Recipient } from './mail.js'
import { countMail } from './mail-limits.js'

/** Between two mails for a new password to one person. */
const mailEveryMs = 5 * 60_000

/** `url` is absent when it went by mail: nobody but the person gets to see it. */
export interface SentLink {
  link: OneTimeLink
  url: string | undefined
}

/** Whether a link that cannot be mailed may be given to the caller. */
export interface LinkHandover {
  toCaller: boolean
  /** The language of the page where they requested it themselves. */
  pageLanguage?: Language | undefined
}

/**
 * Invites somebody to a tenant. Throws as createLink does, UserRefusal (MailNeeded) where the link could only be handed
 * over and may not be, MailLimitReached, and an Error when the mail server does not take the mail.
 */
export async function invite(
  deps: UserWrites,
  input: { tenantId: string; email: string; role: Role },
  handover: LinkHandover = { toCaller: true },
): Promise<SentLink> {
  const email = input.email.trim()
  const known = await findUserByEmail(deps.store.reader, email)
  return send(deps, { email, language: known?.language }, { purpose: 'invitation', ...input }, handover)
}

/** Lets somebody choose a new password. Throws as invite does, and UserRefusal (UserNotFound). */
export async function sendPasswordReset(
  deps: UserWrites,
  userId: string,
  handover: LinkHandover = { toCaller: true },
): Promise<SentLink> {
  const { email, language } = toUser(await requireUser({ tx: deps.store.reader }, userId))
  const reader = { email, language: language ?? handover.pageLanguage }
  return send(deps, reader, { purpose: 'password-reset', userId }, handover)
}

/**
 * An untrusted party asks for a new password for an address. Whether there is such a person shows neither in the answer
 * nor in the time: the mail is sent after it. Undefined, or the seconds to wait. `onError` hears why no mail went.
 * Throws StoreUnavailable. `language`: of the page, for the mail of somebody whose account says none.
 */
export async function askForPasswordReset(
  deps: UserWrites,
  asking: { email: string; address: string; language?: Language | undefined },
  onError: (error: unknown) => void,
): Promise<number | undefined> {
  const { email, address, language } = asking
  const lookup = `reset:${email.trim().toLowerCase().slice(0, 512)}`
  const turn = await deps.throttle.begin({ address, account: lookup, proof: 'other' })
  if (!turn.allowed) return turn.retryAfterSeconds
  // Each asking counts: nobody fills a mailbox with it.
  await turn.end('failed')
  if (deps.mail !== undefined) setImmediate(() => void mailReset(deps, email, language).catch(onError))
  return undefined
}

/** Ends an invitation that nobody accepted, by its hash. Throws UserRefusal (LinkNotFound) and StoreUnavailable. */
export async function endInvitation(deps: UserWrites, hash: string): Promise<void> {
  await write(deps, async ({ tx }) => {
    if ((await deleteLinks(tx, { purpose: 'invitation', hash })) === 0) {
      throw new UserRefusal('LinkNotFound', 'There is no such invitation.')
    }
    await appendAudit(deps, tx, { event: 'link.ended', details: { purpose: 'invitation' } })
  })
}

async function mailReset(deps: UserWrites, email: string, pageLanguage: Language | undefined): Promise<void> {
  const user = await findUserByEmail(deps.store.reader, email)
  if (user === undefined || user.state !== 'enabled' || user.idProvider !== 'local') return
  const { userId } = user
  const asking = writesAs(deps, { actor: { kind: 'system' } })
  if (await isOnItsWay(asking, userId)) return
  await sendPasswordReset(asking, userId, { toCaller: true, pageLanguage }).catch(async (error: unknown) => {
    // Nobody has it, and it must not keep the next one from being sent.
    await write(asking, ({ tx }) => deleteLinks(tx, { purpose: 'password-reset', userId, createdBy: 'system' }))
    throw error
  })
}

/**
 * However many ask from wherever: neither is a mailbox filled, nor does each mail end the link of the one before it.
 */
async function isOnItsWay({ store, now }: UserWrites, userId: string): Promise<boolean> {
  const links = await readLinks(store.reader, now(), { purpose: 'password-reset', userId })
  return links.some((link) => link.created_by === 'system' && now() - Number(link.created_at) < mailEveryMs)
}

async function send(
  deps: UserWrites,
  recipient: Recipient,
  input: NewLink,
  { toCaller }: LinkHandover,
): Promise<SentLink> {
  const to = recipient.email
  if (deps.mail === undefined || to === '') {
    if (toCaller) return createLink(deps, input)
    const why = deps.mail === undefined ? 'this server sends no mail' : 'this person has no address'
    throw new UserRefusal('MailNeeded', `An application is given no link, and ${why}: an administrator has to do this.`)
  }
  const tenantId = input.purpose === 'invitation' ? input.tenantId : undefined
  await countMail(deps, { kind: input.purpose === 'invitation' ? 'invitation' : 'own', to, tenantId })
  const made = await createLink(deps, input, { mailed: true })
  await mailLink(deps, recipient, made).catch(async (error: unknown) => {
    // Nobody has it, and it must not keep a place from the next one.
    const { purpose, hash } = made.link
    await write(deps, async ({ tx }) => {
      await deleteLinks(tx, { purpose, hash })
      if (purpose === 'invitation') await appendAudit(deps, tx, { event: 'link.ended', details: { purpose } })
    })
    throw error
  })
  return { link: made.link, url: undefined }
}
