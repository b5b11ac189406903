// A person's new address: requested, sent a link, and theirs when they open the link while they are signed in. Until
// then the one before stays, and nobody is kept from an address by somebody who only requested it. Whether somebody has
// it already shows in no answer: the mail goes to the person who reads it there, and says another thing. Without a mail
// server it waits for an administrator.

import { type Writing, write } from '../../directory/writes.js'
import type { Language } from '../../languages/language.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { deleteEmailChange, putEmailChange } from '../../storage/sql/people/email-changes.js'
import { readUser, type UserRow, updateUser } from '../../storage/sql/people/users.js'
import { UniqueViolation } from '../../storage/sql/store.js'
import { findUser } from '../accounts/users.js'
import { toUser } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { requireUser, type UserWrites } from '../writes.js'
import { type Confirmation, putConfirmedEmail } from './confirmed-email.js'
import { checkEmail } from './email.js'
import { mailAddressInUse, mailConfirmation } from './mail.js'
import { emailOfLink } from './pending-emails.js'

const hourMs = 3_600_000
const mailedMs = 24 * hourMs
/** An administrator has to come by. */
const waitingMs = 30 * 24 * hourMs

/**
 * What is left to do by mail once it is written; rejects when the mail server does not take it. Nobody's answer waits
 * for it.
 */
export type AfterMail = () => Promise<void>

/**
 * Asks for an address, in place of what was requested before; one's own present one ends that. Throws UserRefusal
 * (UserNotFound, InvalidEmail) and StoreUnavailable. `pageLanguage`: the language of the page where they requested it, for the mail of
 * somebody whose account says none.
 */
export async function askForEmail(
  deps: UserWrites,
  userId: string,
  text: string,
  pageLanguage?: Language,
): Promise<AfterMail> {
  const address = checkEmail(text)
  const secret = deps.mail === undefined ? undefined : createOpaqueToken('pcl_oe_')
  const isPending = await write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const user = await requireUser(writing, userId)
    if (address.key === user.email_key && Number(user.email_verified) === 1) {
      await keepEmail(writing, user, address.email)
      return false
    }
    await putEmailChange(tx, {
      user_id: user.id,
      email: address.email,
      hash: secret === undefined ? null : hashOpaqueToken(secret),
      created_at: nowMs,
      expires_at: nowMs + (secret === undefined ? waitingMs : mailedMs),
    })
    await appendAudit(deps, tx, { event: 'user.email-asked', userId: user.id })
    return true
  })
  if (!isPending || secret === undefined) return async () => {}
  return () => mailAbout(deps, userId, address, { secret, pageLanguage })
}

/**
 * The person uses the link that was mailed. Throws UserRefusal (LinkNotFound; EmailTaken when somebody else has
 * confirmed the address meanwhile) and StoreUnavailable.
 */
export async function confirmEmail(deps: UserWrites, userId: string, secret: string): Promise<void> {
  return put(deps, userId, async (writing, user) => {
    const email = await emailOfLink(writing.tx, user.id, secret, writing.nowMs)
    if (email === undefined) {
      throw new UserRefusal('LinkNotFound', 'This link does not work: it was used, it is over, or it is not yours.')
    }
    return { ...checkEmail(email), by: 'link' }
  })
}

/**
 * An administrator or operator says that the address is the person's; the caller has been authorized. Throws
 * UserRefusal (UserNotFound, InvalidEmail, EmailTaken) and StoreUnavailable.
 */
export async function vouchForEmail(
  deps: UserWrites,
  userId: string,
  email: string,
  confirmation: Confirmation,
): Promise<void> {
  const address = checkEmail(email)
  return put(deps, userId, async () => ({ ...address, ...confirmation }))
}

async function put(
  deps: UserWrites,
  userId: string,
  confirmed: (writing: Writing, user: UserRow) => Promise<{ email: string; key: string } & Confirmation>,
): Promise<void> {
  try {
    await write(deps, async (writing) => {
      const user = await requireUser(writing, userId)
      await putConfirmedEmail(deps, writing, user, await confirmed(writing, user))
    })
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    throw new UserRefusal('EmailTaken', 'Somebody has this e-mail address already.', 'email')
  }
}

/** Another spelling of the present address is no other address. */
async function keepEmail({ tx, nowMs }: Writing, user: UserRow, email: string): Promise<void> {
  await deleteEmailChange(tx, user.id)
  if (email !== user.email) await updateUser(tx, user.id, { email, updated_at: nowMs })
}

async function mailAbout(
  deps: UserWrites,
  userId: string,
  { email, key }: { email: string; key: string },
  { secret, pageLanguage }: { secret: string; pageLanguage: Language | undefined },
): Promise<void> {
  const holder = await readUser(deps.store.reader, 'email_key', key)
  if (holder !== undefined && holder.id !== userId) return mailAddressInUse(deps, toUser(holder))
  const person = await findUser(deps.store.reader, userId)
  return mailConfirmation(deps, { email, language: person?.language ?? pageLanguage }, secret)
}
