// Mail, where a server for it is configured: invitations, links for new passwords and addresses, and word of a changed
// address, in plain text (mail-text.ts). A link is a credential, so it goes over TLS unless the mail server is on this machine.
// How much goes to whom is in mail-limits.ts.

import { readTenant } from '../memory/store/tenants.js'
import { countMail } from './mail-limits.js'
import { type MailText, mailTexts } from './mail-text.js'
import type { OneTimeLink } from './one-time-links.js'
import type { UserWrites } from './writes.js'

const timeoutMs = 15_000

/** Hands in the mail with this link. Resolves when the server took it; throws when it did not, with nothing of the link. */
export async function mailLink(deps: UserWrites, to: string, made: { url: string; link: OneTimeLink }): Promise<void> {
  const { tenantId, purpose } = made.link
  const tenant = tenantId === undefined ? undefined : await readTenant(deps.store.reader, tenantId)
  const host = hostOf(deps)
  if (purpose === 'invitation') await send(deps, to, mailTexts.invitation(host, made.url, tenant?.name))
  else await send(deps, to, mailTexts.passwordReset(host, made.url))
}

/** The link that confirms an address, to that address. Throws as mailLink, and MailLimitReached. */
export async function mailConfirmation(deps: UserWrites, to: string, secret: string): Promise<void> {
  await countMail(deps, { kind: 'own', to })
  await send(deps, to, mailTexts.confirmEmail(hostOf(deps), `${deps.baseUrl}/account/confirm-email/${secret}`))
}

/** To whoever has the address that somebody asked for. Throws as mailConfirmation. */
export async function mailAddressInUse(deps: UserWrites, to: string): Promise<void> {
  await countMail(deps, { kind: 'own', to })
  await send(deps, to, mailTexts.addressInUse(hostOf(deps)))
}

/**
 * Tells somebody what happened: at the address that an account had until now, that it was changed, so that its owner hears of it
 * if they did not do it; or that a password is being guessed at. Nothing where no mail server is configured. Throws when the
 * server did not take the mail.
 */
export async function mailNotice(
  deps: UserWrites,
  to: string,
  notice: 'addressChanged' | 'manyFailures',
): Promise<void> {
  if (deps.mail === undefined || to === '') return
  await countMail(deps, { kind: 'notice', to })
  await send(deps, to, mailTexts[notice](hostOf(deps), `${deps.baseUrl}/reset-password`))
}

function hostOf({ baseUrl }: UserWrites): string {
  return new URL(baseUrl).host
}

async function send(deps: UserWrites, to: string, { subject, text }: MailText): Promise<void> {
  const { mail } = deps
  if (mail === undefined) throw new Error('no mail server is configured')
  const url = mail.url.reveal()
  const { hostname } = new URL(url)
  // Most processes never send one, and what sends it is slow to load.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url,
    requireTLS: !['localhost', '127.0.0.1', '[::1]'].includes(hostname),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  try {
    await transport.sendMail({ from: mail.from, to: { name: '', address: to }, subject, text })
  } catch (error) {
    // Whatever the library says may hold the message.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new Error(`the mail server did not take a mail (${code})`)
  } finally {
    transport.close()
  }
}
