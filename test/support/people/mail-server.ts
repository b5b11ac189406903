// A mail server on this machine that takes every mail of anyone who knows its password, and keeps the text.

import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import type { Teardown } from '../cluster/cluster.js'
import { until } from '../traffic/until.js'

/** The password of every mail server of tests. */
const mailPassword = 'the-mail-server-knows-this'

export interface MailServer {
  /** With a password in it, as configurations have. */
  url: string
  password: string
  /** From now on it takes no mail; it keeps the text all the same. */
  refuse(): void
  /** From now on it takes no mail for that address, and says so at once and for good. */
  refuseAddress(address: string): void
  /** The Message-IDs of all that it has taken for that address. */
  idsTo(address: string): string[]
  /** The text of the newest mail to that address with this in its text, once it is there. */
  mailTo(address: string, containing: string): Promise<string>
  /** The subjects of all that it has taken for that address. */
  subjectsTo(address: string): string[]
}

/** Starts one, on a port of its own unless there is one given; it ends with the test. */
export async function startMailServer(t: Teardown, port = 0): Promise<MailServer> {
  const mails: { to: string[]; text: string }[] = []
  const password = mailPassword
  let isRefusing = false
  const unknown = new Set<string>()
  const server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    logger: false,
    onAuth: (auth, _session, done) => {
      if (auth.password === password) done(null, { user: 'portcullis' })
      else done(new Error('not the password'))
    },
    onRcptTo({ address }, _session, done) {
      done(unknown.has(address) ? Object.assign(new Error('nobody here'), { responseCode: 550 }) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        // Quoted-printable, with its soft line ends taken out.
        const text = Buffer.concat(chunks).toString().replace(/=\r\n/g, '').replaceAll('=3D', '=')
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
        done(isRefusing ? Object.assign(new Error('no room'), { responseCode: 452 }) : null)
      })
    },
  })
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const fieldsTo = (address: string, field: RegExp) =>
    mails.filter(({ to }) => to.includes(address)).map(({ text }) => field.exec(text)?.[1] ?? '')
  const address = server.server.address() as { port: number }
  return {
    ...{ url: mailUrl(address.port), password },
    refuse: () => {
      isRefusing = true
    },
    refuseAddress: (address) => unknown.add(address),
    subjectsTo: (address) => fieldsTo(address, /^Subject: (.*?)\r?$/m),
    idsTo: (address) => fieldsTo(address, /^Message-ID: (.*?)\r?$/m),
    async mailTo(address, containing) {
      const find = () => mails.findLast(({ to, text }) => to.includes(address) && text.includes(containing))
      await until(`a mail to ${address}`, async () => find() !== undefined, 20_000)
      return find()?.text ?? ''
    },
  }
}

/** The configured address of a mail server on that port. */
export function mailUrl(port: number): string {
  return `smtp://portcullis:${mailPassword}@127.0.0.1:${port}`
}

const day = 86_400_000

/** How much mail goes by default. */
export const mailRates = {
  perTenant: { limit: 200, periodMs: day },
  perRecipient: { limit: 10, periodMs: day },
  perSender: { limit: 100, periodMs: day },
  overall: { limit: 5000, periodMs: day },
}
