// Mail, where a server for it is configured: invitations, links for new passwords, and word of a changed address, in plain
// text. A link is a credential, so it goes over TLS unless the mail server is on this machine.

import { readTenant } from '../memory/store/tenants.js'
import type { OneTimeLink } from './one-time-links.js'
import type { UserWrites } from './writes.js'

const timeoutMs = 15_000

/** Hands in the mail with this link. Resolves when the server took it; throws when it did not, with nothing of the link. */
export async function mailLink(deps: UserWrites, to: string, made: { url: string; link: OneTimeLink }): Promise<void> {
  const { tenantId } = made.link
  const tenant = tenantId === undefined ? undefined : await readTenant(deps.store.reader, tenantId)
  await send(deps, to, contentOf(made, new URL(deps.baseUrl).host, tenant?.name))
}

/**
 * Tells the address that an account had until now: if it was not its owner who changed it, they hear of it. Nothing where no
 * mail server is configured. Throws when the server did not take the mail.
 */
export async function mailAddressChanged(deps: UserWrites, formerAddress: string): Promise<void> {
  if (deps.mail === undefined || formerAddress === '') return
  const { host } = new URL(deps.baseUrl)
  await send(deps, formerAddress, {
    subject: `Your e-mail address at ${host} was changed`,
    text: `Your account at ${host} has another e-mail address from now on; this one no longer signs in.\n\nIf it was not you, tell an administrator of your organisation at once.\n`,
  })
}

async function send(deps: UserWrites, to: string, { subject, text }: { subject: string; text: string }): Promise<void> {
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

function contentOf({ url, link }: { url: string; link: OneTimeLink }, host: string, tenantName: string | undefined) {
  if (link.purpose === 'invitation') {
    const where = tenantName ?? host
    return {
      subject: `Invitation to ${where}`,
      text: `You are invited to join ${where}.\n\nOpen this link to accept. It works once, for seven days:\n${url}\n\nIf you do not expect this, ignore it.\n`,
    }
  }
  return {
    subject: `A new password at ${host}`,
    text: `Somebody, probably you, asked for a new password at ${host}.\n\nOpen this link to choose one. It works once, for an hour:\n${url}\n\nIf it was not you, ignore this: your password stays as it is.\n`,
  }
}
