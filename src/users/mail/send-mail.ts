// One mail to the configured server. A link in it is a credential, so it goes over TLS unless the mail server is on
// this machine.

import type { UserWrites } from '../writes.js'
import type { MailText } from './mail-texts.js'

const timeoutMs = 15_000

/** Where this server is, as mails say it. */
export function hostOf({ baseUrl }: Pick<UserWrites, 'baseUrl'>): string {
  return new URL(baseUrl).host
}

/** Hands in a mail. Resolves when the server took it; throws when it did not, with nothing of the mail. */
export async function sendMail(
  { mail }: Pick<UserWrites, 'mail'>,
  to: string,
  { subject, text }: MailText,
): Promise<void> {
  if (mail === undefined) throw new Error('no mail server is configured')
  const transport = await transportTo(mail)
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

/** Connects and signs in, and sends nothing. Throws with a code of the library, which says what is wrong. */
export async function probeMail(mail: MailAccess): Promise<void> {
  const transport = await transportTo(mail)
  try {
    await transport.verify()
  } catch (error) {
    const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
    const status = typeof responseCode === 'number' ? `, it answered ${responseCode}` : ''
    throw new Error(`the mail server cannot be used (${typeof code === 'string' ? code : 'unknown'}${status})`)
  } finally {
    transport.close()
  }
}

type MailAccess = Pick<NonNullable<UserWrites['mail']>, 'url'>

async function transportTo(mail: MailAccess) {
  const url = mail.url.reveal()
  const { hostname } = new URL(url)
  // Most processes never send one, and what sends it is slow to load.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    requireTLS: !['localhost', '127.0.0.1', '[::1]'].includes(hostname),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
