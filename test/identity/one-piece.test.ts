// Requests and answers of the form endpoints as pieces on the wire: a form that comes with its head is answered without
// anybody being set to read it, and each answer, refusals among them, is one piece.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import t from 'tap'
import { listening } from '../support/rooms/http-server.js'
import { type IdentityApp, openIdentity, tokenPath } from '../support/rooms/identity.js'
import { rawConnection } from '../support/traffic/http-raw.js'
import { until } from '../support/traffic/until.js'
import { countParts } from '../support/traffic/written-parts.js'

const testApp = await openIdentity(t)
const port = await listening(testApp.app)
const { registration, secret } = await testApp.registerDemo()
const good = new URLSearchParams({
  grant_type: 'client_credentials',
  scope: 'default',
  client_id: registration.applicationId,
  client_secret: secret,
}).toString()

/** How often somebody was set to read the body of a request, and what was handed to the system. */
function watch(app: IdentityApp['app']) {
  const counts = { readers: 0, parts: [] as (() => number)[] }
  app.server.prependListener('request', (request: IncomingMessage) => {
    request.on('newListener', (event) => {
      if (event === 'data') counts.readers += 1
    })
  })
  app.server.on('connection', (socket: Socket) => counts.parts.push(countParts(socket)))
  return counts
}
const counts = watch(testApp.app)

const head = (length: number, more = '') =>
  `POST ${tokenPath} HTTP/1.1\r\nHost: portcullis.test\r\nX-Forwarded-Proto: https\r\n${more}` +
  `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n`
const whole = (form: string) => head(Buffer.byteLength(form)) + Buffer.from(form).toString('latin1')

t.beforeEach(() => {
  counts.readers = 0
  counts.parts.length = 0
})

t.test(
  'a form that comes with its head is answered where it lies, good or refused, each answer in one piece',
  async (t) => {
    const connection = await rawConnection({ port })
    const forms: [string, number][] = [
      [good, 200],
      [`${good}&client_secret=again`, 400],
      [good.replace('scope=default', 'scope=unknown'), 400],
      [good.replace('client_credentials', 'password'), 400],
      [`${good}&x=%FF`, 400],
      [`${good}&x=é`, 200],
      [good.replace(/client_secret=.{60}/, 'client_secret=wrong'), 401],
      [good, 200],
    ]
    for (const [form, status] of forms) {
      connection.send(whole(form))
      const answer = await connection.answer()
      t.equal(answer.status, status, form.replace(secret, '…'))
      t.same(answer.headers.get('content-length'), [String(Buffer.byteLength(answer.body, 'latin1'))])
      t.equal(answer.headers.get('request-id')?.length, 1)
      t.same(answer.headers.get('cache-control'), ['no-store'])
      t.ok(JSON.parse(answer.body))
    }
    connection.end()
    t.equal(counts.readers, 0)
    t.same(
      counts.parts.map((parts) => parts()),
      [forms.length],
    )
  },
)

t.test('requests that come in one piece are answered one after the other', async (t) => {
  const connection = await rawConnection({ port })
  connection.send(whole(good) + whole(`${good}&scope=again`) + whole(good))
  const statuses = [await connection.answer(), await connection.answer(), await connection.answer()]
  t.same(
    statuses.map(({ status }) => status),
    [200, 400, 200],
  )
  connection.end()
})

t.test('a form that comes behind its head, or in parts, is read', async (t) => {
  const connection = await rawConnection({ port })
  for (const cut of [0, 1, good.length - 1]) {
    // Who asks for 100 Continue hears when the rest is being waited for.
    connection.send(head(good.length, 'Expect: 100-continue\r\n') + good.slice(0, cut))
    const before = connection.informational.length
    const answered = connection.answer()
    await until('100 Continue', () => connection.informational.length > before)
    connection.send(good.slice(cut))
    t.equal((await answered).status, 200, `${cut} of ${good.length} bytes`)
  }
  connection.end()
  t.equal(counts.readers, 3)
})

t.test('without a length, or too long, it is read as it was, and refused as it was', async (t) => {
  const chunked = await rawConnection({ port })
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n'
  const start = `POST ${tokenPath} HTTP/1.1\r\nHost: portcullis.test\r\nX-Forwarded-Proto: https\r\n${type}`
  chunked.send(`${start}Transfer-Encoding: chunked\r\n\r\n${good.length.toString(16)}\r\n${good}\r\n0\r\n\r\n`)
  t.equal((await chunked.answer()).status, 200)
  chunked.end()
  const large = await rawConnection({ port })
  large.send(whole(`${good}&x=${'y'.repeat(16_384)}`))
  t.equal((await large.answer()).status, 413)
  large.end()
})
