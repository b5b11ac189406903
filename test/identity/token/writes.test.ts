// What a token costs in writes: its answer is one piece, however the request came in pieces.

import type { Socket } from 'node:net'
import t from 'tap'
import { listening } from '../../support/rooms/http-server.js'
import { openIdentity, readToken, revokePath, tokenPath } from '../../support/rooms/identity.js'
import { type RawAnswer, type RawConnection, rawConnection } from '../../support/traffic/http-raw.js'
import { until } from '../../support/traffic/until.js'
import { countParts } from '../../support/traffic/written-parts.js'

const head = (path: string, fields: string) =>
  `POST ${path} HTTP/1.1\r\nHost: portcullis.test\r\nX-Forwarded-Proto: https\r\nContent-Type: application/x-www-form-urlencoded\r\n${fields}\r\n\r\n`

/** The rest follows when the server has said that it waits for it. */
async function answerTo(connection: RawConnection, [first = '', rest]: readonly string[]): Promise<RawAnswer> {
  const { informational } = connection
  const before = informational.length
  connection.send(first)
  const answer = connection.answer()
  if (rest !== undefined) {
    await until('the body is waited for', () => informational.length > before)
    connection.send(rest)
  }
  return answer
}

t.test('an answer of the token endpoint is one piece, and the same however its request came', async (t) => {
  const testApp = await openIdentity(t)
  const { registration, secret } = await testApp.registerDemo()
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    scope: 'default',
    client_id: registration.applicationId,
    client_secret: secret,
  }).toString()
  const length = `Content-Length: ${form.length}`
  const waits = 'Expect: 100-continue'
  const half = form.length >> 1
  const ways: Record<string, string[]> = {
    'in one piece': [head(tokenPath, length) + form],
    'head and body': [head(tokenPath, `${length}\r\n${waits}`), form],
    'a body in two': [head(tokenPath, `${length}\r\n${waits}`) + form.slice(0, half), form.slice(half)],
    'in chunks': [
      `${head(tokenPath, 'Transfer-Encoding: chunked')}${form.length.toString(16)}\r\n${form}\r\n0\r\n\r\n`,
    ],
  }
  const port = await listening(testApp.app)
  const counts: (() => number)[] = []
  testApp.app.server.on('connection', (socket: Socket) => counts.push(countParts(socket)))
  const connection = await rawConnection({ port })
  t.teardown(() => connection.end())
  const names: string[][] = []
  for (const [way, parts] of Object.entries(ways)) {
    const { status, headers, body } = await answerTo(connection, parts)
    t.equal(status, 200, way)
    const { access_token: token, ...rest } = JSON.parse(body)
    t.equal(readToken(token).claims['sub'], registration.applicationId, way)
    t.match(rest, { token_type: 'Bearer', expires_in: 3599 }, way)
    t.same(headers.get('cache-control'), ['no-store'], way)
    t.same(headers.get('content-type'), ['application/json;charset=UTF-8'], way)
    t.same(headers.get('content-length'), [String(body.length)], way)
    names.push([...headers.keys()].sort())
  }
  for (const each of names) t.same(each, names[0])
  t.ok(['date', 'duration', 'pragma', 'request-id', 'vary'].every((name) => names[0]?.includes(name)))
  t.same(
    counts.map((parts) => parts()),
    [names.length + connection.informational.length],
  )
})

t.test('requests that come together are answered in their order, and an empty answer says so', async (t) => {
  const testApp = await openIdentity(t)
  const { registration, secret } = await testApp.registerDemo()
  const client = `client_id=${registration.applicationId}&client_secret=${secret}`
  const request = (path: string, form: string) => head(path, `Content-Length: ${form.length}`) + form
  const connection = await rawConnection({ port: await listening(testApp.app) })
  t.teardown(() => connection.end())
  connection.send(
    request(tokenPath, `grant_type=client_credentials&scope=default&${client}`) +
      request(revokePath, `token=unknown&${client}`) +
      request(tokenPath, `grant_type=none&client-request-id=7c1d5a76-1c2e-4b6e-9d3c-1f2e3d4c5b6a&${client}`),
  )
  const [token, revoked, refused] = [await connection.answer(), await connection.answer(), await connection.answer()]
  t.equal(token.status, 200)
  t.type(JSON.parse(token.body).access_token, 'string')
  t.equal(revoked.status, 200)
  t.same([revoked.body, revoked.headers.get('content-length')], ['', ['0']])
  t.equal(refused.status, 400)
  t.match(JSON.parse(refused.body), {
    error: 'unsupported_grant_type',
    correlation_id: '7c1d5a76-1c2e-4b6e-9d3c-1f2e3d4c5b6a',
  })
})
