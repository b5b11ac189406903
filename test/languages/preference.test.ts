// The language that somebody chose in their account: kept with it, followed by their pages in every browser and by their
// mails, and left to the browser again.

import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import t, { type Test } from 'tap'
import { secretValue } from '../../src/config/read/secret-value.js'
import { changeUser, findUser } from '../../src/users/accounts/users.js'
import { mailNotice } from '../../src/users/mail/mail.js'
import { askForPasswordReset, invite, sendPasswordReset } from '../../src/users/mail/send-link.js'
import { mailRates } from '../support/people/mail-server.js'
import { openSignIn, password } from '../support/people/sign-in.js'
import { openUsers } from '../support/rooms/users.js'
import { until } from '../support/traffic/until.js'

const cookieName = '__Host-portcullis-language'

t.test('what is chosen in the account is read at once, and in the next browser after signing in', async (t) => {
  const { store, browser, person, signedIn, events } = await openSignIn(t)
  const ada = await person('Ada')
  const own = await signedIn(ada)
  t.equal(own.cookies.get(cookieName), undefined, 'nobody said a language')
  const details = await own.open('/account/details')
  t.match(details.body, /<option[^>]* selected[^>]*>As the browser says<\/option>/)
  t.match(details.body, '<option value="ja" lang="ja">日本語</option>')
  const fields = { name: ada.name, email: ada.email }
  const after = await own.submit(details, 'details-form', { ...fields, language: 'de' })
  t.match(after.body, /<html lang="de" dir="ltr">[\s\S]*Ihre Angaben sind gespeichert/)
  t.equal((await findUser(store.reader, ada.userId))?.language, 'de')
  t.equal((await events(ada.userId)).at(-1), 'user.changed')

  const other = browser()
  const page = await other.open('/sign-in')
  t.match(page.body, '<html lang="en"', 'who comes is not known yet')
  const account = await other.submit(page, 'sign-in-form', { email: ada.email, password })
  t.match(account.body, '<html lang="de"', 'now it is')
  await other.open('/account?page_language=fr')
  t.match((await other.open('/account')).body, '<html lang="fr"', 'this browser alone')
  const back = await own.submit(await own.open('/account/details'), 'details-form', { ...fields, language: '' })
  t.match(back.body, '<html lang="en"', 'left to the browser again')
  t.equal((await findUser(store.reader, ada.userId))?.language, null)
  const planted = await own.submit(await own.open('/account/details'), 'details-form', { ...fields, language: 'xx' })
  t.equal(planted.status, 200)
  t.equal((await findUser(store.reader, ada.userId))?.language, null, 'one that there is not is none')
})

t.test(
  'mails are in the language of who gets them; else of the page where they requested them; else of the server',
  async (t) => {
    const { mails, settings } = await mailServer(t)
    const { users, person, tenantId } = await openUsers(t, { mail: settings })
    const [ada, bob] = [await person('Ada'), await person('Bob')]
    await changeUser(users, ada.userId, { language: 'de' })
    const newest = () => mails.at(-1)
    await sendPasswordReset(users, ada.userId)
    t.match(newest(), 'Subject: Ein neues Passwort auf portcullis.test')
    t.match(newest(), 'Öffnen Sie diesen Link')
    await invite(users, { tenantId, email: ada.email, role: 'member' })
    t.match(newest(), 'Subject: Einladung zu portcullis.test', 'somebody who has an account')
    await invite(users, { tenantId, email: 'new@example.test', role: 'member' })
    t.match(newest(), 'Subject: Invitation to portcullis.test', 'somebody unknown')
    await mailNotice(users, { email: ada.email, language: 'ja' }, 'manyFailures')
    t.match(newest(), '間違ったパスワードが何度も試されました')
    const wish = { email: bob.email, address: '192.0.2.7', language: 'es' } as const
    await askForPasswordReset(users, wish, (error) => t.fail(String(error)))
    await until('the mail is there', () => newest()?.includes('Abra este enlace para elegirla') === true)
  },
)

/** A mail server that takes everything; its mails with what was encoded made readable. */
async function mailServer(t: Test) {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    logger: false,
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push(readable(Buffer.concat(chunks).toString()))
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  const url = secretValue(`smtp://127.0.0.1:${port}`)
  return { mails, settings: { url, from: 'Portcullis <no-reply@example.test>', ...mailRates } }
}

function readable(mail: string): string {
  const [head = '', ...rest] = mail.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  if (/^Content-Transfer-Encoding: base64/im.test(head)) return `${head}\n\n${Buffer.from(body, 'base64')}`
  const bytes = (text: string) => Buffer.from(text.replaceAll('=', ''), 'hex').toString()
  return `${head}\n\n${body.replace(/=\r\n/g, '').replace(/(?:=[0-9A-F]{2})+/g, bytes)}`
}
