// Mail, where a server for it is configured: invitations, links for new passwords and addresses, and word of guessed
// passwords, in plain text (mail-texts.ts), each with its end (mail-foot.ts). How much goes to whom is in mail-limits.ts, how it is sent in mail-server/.

import type { Language } from '../../languages/language.js'
import type { OneTimeLink } from '../accounts/one-time-links.js'
import type { UserWrites } from '../writes.js'
import { tenantInMail } from './mail-foot.js'
import { countMail } from './mail-limits.js'
import { mailsIn } from './mail-texts.js'
import { hostOf, sendMail } from './send-mail.js'

/** Who gets a mail: where, and what they read; the language of the server where that is not known. */
export interface Recipient {
  email: string
  language?: Language | null | undefined
}

/**
 * Hands in the mail with this link. Resolves when the server took it; throws when it did not, with nothing of the link.
 */
export async function mailLink(
  deps: UserWrites,
  { email, language }: Recipient,
  made: { url: string; link: OneTimeLink },
): Promise<void> {
  const { tenantId, purpose } = made.link
  const host = hostOf(deps)
  const mails = mailsIn(deps, language)
  if (purpose === 'invitation') {
    const { name } = await tenantInMail(deps, tenantId)
    await sendMail(deps, { email, language, tenantId }, mails.invitation(host, made.url, name))
  } else await sendMail(deps, { email, language }, mails.passwordReset(host, made.url))
}

/** The link that confirms an address, to that address. Throws as mailLink, and MailLimitReached. */
export async function mailConfirmation(
  deps: UserWrites,
  { email, language }: Recipient,
  secret: string,
): Promise<void> {
  await countMail(deps, { kind: 'own', to: email })
  const url = `${deps.baseUrl}/account/confirm-email/${secret}`
  await sendMail(deps, { email, language }, mailsIn(deps, language).confirmEmail(hostOf(deps), url))
}

/** To the person who already has the address that somebody requested. Throws as mailConfirmation. */
export async function mailAddressInUse(deps: UserWrites, { email: to, language }: Recipient): Promise<void> {
  await countMail(deps, { kind: 'own', to })
  await sendMail(deps, { email: to, language }, mailsIn(deps, language).addressInUse(hostOf(deps)))
}

/**
 * Tells somebody that their password is being guessed at. Nothing where no mail server is configured. Throws when the
 * server did not take the mail. What was done is told by rows that wait (users/notices/).
 */
export async function mailNotice(
  deps: UserWrites,
  { email: to, language }: Recipient,
  notice: 'manyFailures',
): Promise<void> {
  if (deps.mail === undefined || to === '') return
  await countMail(deps, { kind: 'account', counted: notice, to })
  const text = mailsIn(deps, language)[notice](hostOf(deps), `${deps.baseUrl}/reset-password`)
  await sendMail(deps, { email: to, language }, text)
}
