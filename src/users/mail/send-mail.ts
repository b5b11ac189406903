// One mail to the configured server. A link in it is a credential, so it goes over TLS unless the mail server is on
// this machine.

import type { UserWrites } from '../writes.js'
import { type MailAbout, withFoot } from './mail-foot.js'
import type { MailText } from './mail-texts.js'

const timeoutMs = 15_000

/** Where this server is, as mails say it. */
export function hostOf({ baseUrl }: Pick<UserWrites, 'baseUrl'>): string {
  return new URL(baseUrl).host
}

/** The server did not take a mail. */
export class MailNotTaken extends Error {
  /** It does not take this one, for its address or its text; others may go. */
  readonly isOfThisMail: boolean
  /** It said that this will stay so. */
  readonly isFinal: boolean

  constructor(code: string, status: unknown) {
    super(`the mail server did not take a mail (${code})`)
    this.name = 'MailNotTaken'
    this.isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE'
    this.isFinal = this.isOfThisMail && typeof status === 'number' && status >= 500
  }
}

/**
 * Hands in a mail, with the end that all have. Resolves when the server took it; throws MailNotTaken when it did not, with
 * nothing of the mail, and StoreUnavailable. By `id` a mail server or reader knows a mail that comes twice.
 */
export async function sendMail(
  deps: UserWrites,
  { email: to, ...about }: MailAbout & { email: string },
  written: MailText,
  id?: string,
): Promise<void> {
  const { mail } = deps
  if (mail === undefined) throw new Error('no mail server is configured')
  const { subject, text } = await withFoot(deps, written, about)
  const transport = await transportTo(mail)
  const identified = id === undefined ? {} : { messageId: `<${id}>` }
  try {
    await transport.sendMail({ from: mail.from, to: { name: '', address: to }, subject, text, ...identified })
  } catch (error) {
    // Whatever the library says may hold the message.
    const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
    throw new MailNotTaken(typeof code === 'string' ? code : 'unknown', responseCode)
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
