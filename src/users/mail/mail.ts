// Mail, where a server for it is configured: invitations, links for new passwords and addresses, and word of a changed
// address, in plain text (mail-texts.ts). How much goes to whom is in mail-limits.ts, how it is sent in mail-server/.

import { readTenant } from '../../storage/sql/registrations/tenants.js'
import type { OneTimeLink } from '../accounts/one-time-links.js'
import type { UserWrites } from '../writes.js'
import { countMail } from './mail-limits.js'
import { mailsIn, nameInMail } from './mail-texts.js'
import { hostOf, sendMail } from './send-mail.js'

/**
 * Hands in the mail with this link. Resolves when the server took it; throws when it did not, with nothing of the link.
 */
export async function mailLink(deps: UserWrites, to: string, made: { url: string; link: OneTimeLink }): Promise<void> {
  const { tenantId, purpose } = made.link
  const tenant = tenantId === undefined ? undefined : await readTenant(deps.store.reader, tenantId)
  const host = hostOf(deps)
  const mails = mailsIn(deps, undefined)
  if (purpose === 'invitation') await sendMail(deps, to, mails.invitation(host, made.url, nameInMail(tenant?.name)))
  else await sendMail(deps, to, mails.passwordReset(host, made.url))
}

/** The link that confirms an address, to that address. Throws as mailLink, and MailLimitReached. */
export async function mailConfirmation(deps: UserWrites, to: string, secret: string): Promise<void> {
  await countMail(deps, { kind: 'own', to })
  await sendMail(
    deps,
    to,
    mailsIn(deps, undefined).confirmEmail(hostOf(deps), `${deps.baseUrl}/account/confirm-email/${secret}`),
  )
}

/** To the person who already has the address that somebody requested. Throws as mailConfirmation. */
export async function mailAddressInUse(deps: UserWrites, to: string): Promise<void> {
  await countMail(deps, { kind: 'own', to })
  await sendMail(deps, to, mailsIn(deps, undefined).addressInUse(hostOf(deps)))
}

/**
 * Tells somebody what happened: at the address that an account had until now, that it was changed, so that its owner
 * hears of it if they did not do it; or that a password is being guessed at. Nothing where no mail server is
 * configured. Throws when the server did not take the mail.
 */
export async function mailNotice(
  deps: UserWrites,
  to: string,
  notice: 'addressChanged' | 'manyFailures',
): Promise<void> {
  if (deps.mail === undefined || to === '') return
  await countMail(deps, { kind: 'notice', to })
  await sendMail(deps, to, mailsIn(deps, undefined)[notice](hostOf(deps), `${deps.baseUrl}/reset-password`))
}
