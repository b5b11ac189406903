import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { loadTls } from '../../src/http/tls/tls.js'
import { listening, proxied, testLimits, testServer } from '../support/rooms/http-server.js'
import { rawConnection } from '../support/traffic/http-raw.js'
import { until } from '../support/traffic/until.js'

/** As many requests wait on one connection. */
const mostWaiting = 64

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${proxied}${more}\r\n`

/** `/held/<name>` answers when it is let go; how many are under way at once is counted. */
function holding(app: FastifyInstance) {
  const started: string[] = []
  const letGo = new Map<string, () => void>()
  const running = { now: 0, most: 0 }
  app.get('/held/:name', (request, reply) => {
    const { name } = request.params as { name: string }
    started.push(name)
    running.now++
    running.most = Math.max(running.most, running.now)
    letGo.set(name, () => {
      running.now--
      reply.send(name)
    })
  })
  app.get('/quick/:name', async (request) => (request.params as { name: string }).name)
  app.post('/echo', async (request) => request.body)
  return { started, letGo: (name: string) => letGo.get(name)?.(), running }
}

for (const withTls of [false, true]) {
  t.test(
    `gateway M7: a pipeline is served one request at a time, in order${withTls ? ', over TLS' : ''}`,
    async (t) => {
      const files = withTls ? await ensureDevelopmentCertificate(t.testdir()) : undefined
      const app = testServer(files === undefined ? {} : { tls: loadTls(files) })
      const held = holding(app)
      t.teardown(() => app.close())
      const tls = files === undefined ? {} : { tls: { ca: readFileSync(files.caFile, 'utf8') } }
      const connection = await rawConnection({ port: await listening(app), ...tls })
      const names = Array.from({ length: 40 }, (_, i) => `n${i}`)
      connection.send(names.map((name) => get(`/held/${name}`)).join(''))
      for (const name of names) {
        await until('it begins', () => held.started.includes(name))
        t.equal(held.started.length, names.indexOf(name) + 1, 'nothing of the next one is handed on')
        held.letGo(name)
        t.equal((await connection.answer()).body, name)
      }
      t.equal(held.running.most, 1)
      connection.send(get('/quick/after'))
      t.equal((await connection.answer()).body, 'after', 'and the connection goes on')
      connection.end()
    },
  )
}

t.test('gateway M7: what comes behind an unanswered request is not read, and not kept beyond a bound', async (t) => {
  const app = testServer()
  const held = holding(app)
  t.teardown(() => app.close())
  const port = await listening(app)
  const few = await rawConnection({ port })
  few.send(get('/held/a') + get('/quick/b'))
  await until('it begins', () => held.started.includes('a'))
  const megabytes = Buffer.alloc(24 * 1_048_576, get('/quick/more'))
  few.send(megabytes)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  t.ok(few.socket.writableLength > 0, 'the rest stays with the client')
  few.end()
  held.letGo('a')

  const many = await rawConnection({ port })
  many.send(get('/held/c') + get('/quick/d').repeat(mostWaiting + 1))
  t.equal(await many.closed(), '', 'more than is kept: the connection ends')
  t.same(held.started, ['a', 'c'])
})

t.test('gateway L11, M7: what came in one piece with more than is kept is not made into requests', async (t) => {
  const app = testServer()
  const held = holding(app)
  t.teardown(() => app.close())
  let made = 0
  app.server.on('request', () => {
    made += 1
  })
  const connection = await rawConnection({ port: await listening(app) })
  connection.send(get('/held/a') + get('/quick/b').repeat(500))
  t.equal(await connection.closed(), '')
  t.ok(made >= 2 && made <= mostWaiting + 2, `one is served, ${mostWaiting} wait, one is too many: ${made}`)
  t.same(held.started, ['a'])
})

t.test('gateway L11, M7: requests of many pipelines begin one in a turn of the event loop', async (t) => {
  const app = testServer()
  let [turn, connections] = [0, 12]
  const started = new Map<number, number>()
  app.get('/first', async () => 'first')
  app.get('/next', async () => {
    started.set(turn, (started.get(turn) ?? 0) + 1)
    return 'next'
  })
  t.teardown(() => app.close())
  const port = await listening(app)
  const all = await Promise.all(Array.from({ length: connections }, () => rawConnection({ port })))
  const count = () => {
    turn += 1
    if (connections > 0) setImmediate(count)
  }
  setImmediate(count)
  for (const connection of all) connection.send(get('/first') + get('/next').repeat(9))
  await Promise.all(
    all.map(async (connection) => {
      for (let n = 0; n < 10; n += 1) t.equal((await connection.answer()).status, 200)
      connection.end()
      connections -= 1
    }),
  )
  // One at once when none had begun, and one of those that waited.
  t.ok(Math.max(...started.values()) <= 2, `${Math.max(...started.values())} in one turn`)
  t.equal(
    [...started.values()].reduce((sum, n) => sum + n, 0),
    12 * 9,
  )
})

t.test('gateway M7: a request that waited gets its body, also when that comes later', async (t) => {
  const app = testServer()
  const held = holding(app)
  t.teardown(() => app.close())
  const connection = await rawConnection({ port: await listening(app) })
  const head = `POST /echo HTTP/1.1\r\n${proxied}Content-Type: text/plain\r\nContent-Length: 10\r\n\r\n`
  connection.send(`${get('/held/a')}${get('/quick/b')}${head}01234`)
  await until('it begins', () => held.started.includes('a'))
  held.letGo('a')
  for (const expected of ['a', 'b']) t.equal((await connection.answer()).body, expected)
  connection.send('56789')
  t.equal((await connection.answer()).body, '0123456789')
  connection.end()
})

t.test('gateway L2: what is no request behind an unanswered one is answered after it', async (t) => {
  const app = testServer({ limits: { ...testLimits, headersTimeoutMs: 1_000 } })
  const held = holding(app)
  t.teardown(() => app.close())
  const port = await listening(app)
  const behind = [
    { what: 'garbage', bytes: 'garbage\r\n\r\n', status: 400 },
    { what: 'an unknown expectation', bytes: get('/quick/x', 'Expect: foo\r\n'), status: 417 },
    { what: 'half a head', bytes: 'GET / HTTP/1.1\r\nHost', status: 408, waits: true },
    {
      what: 'a body that breaks',
      bytes: `POST /echo HTTP/1.1\r\n${proxied}Transfer-Encoding: chunked\r\n\r\nz`,
      status: 400,
    },
  ]
  for (const [i, { what, bytes, status, waits }] of behind.entries()) {
    const connection = await rawConnection({ port })
    connection.send(get(`/held/${i}`) + get(`/quick/q${i}`) + bytes)
    await until('it begins', () => held.started.includes(String(i)))
    // Long enough for the time of the head to be over, however fast or slow this machine is: the answer is the judge.
    if (waits) await new Promise((resolve) => setTimeout(resolve, 2_500))
    held.letGo(String(i))
    for (const expected of [String(i), `q${i}`]) t.equal((await connection.answer()).body, expected, what)
    t.equal((await connection.answer()).status, status, what)
    t.equal(await connection.closed(), '', 'and that was the end')
  }
})

t.test('gateway L2: CONNECT behind an unanswered request ends the connection without an answer', async (t) => {
  const app = testServer()
  const held = holding(app)
  t.teardown(() => app.close())
  const port = await listening(app)
  for (const between of ['', get('/quick/b')]) {
    const connection = await rawConnection({ port })
    connection.send(`${get('/held/a')}${between}CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n`)
    t.equal(await connection.closed(), '')
  }
  t.same(held.started, ['a', 'a'])
  const single = await rawConnection({ port })
  single.send('CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n')
  t.equal((await single.answer()).status, 405)
})

t.test('P16 gateway L7: an unknown transfer coding is answered 501, and one of HTTP/1.0 400', async (t) => {
  const files = await ensureDevelopmentCertificate(t.testdir())
  const app = testServer({ tls: loadTls(files) })
  app.post('/echo', async (request) => request.body)
  app.addHook('preParsing', async () => {
    throw new Error('the body is never looked at')
  })
  t.teardown(() => app.close())
  const port = await listening(app)
  const ca = readFileSync(files.caFile, 'utf8')
  for (const coding of ['xchunked', 'gzip', 'gzip, chunked', 'identity']) {
    for (const path of ['/echo', '/nowhere']) {
      const connection = await rawConnection({ port, tls: { ca } })
      connection.send(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ${coding}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      )
      const answer = await connection.answer()
      t.equal(answer.status, 501, coding)
      t.equal(JSON.parse(answer.body).error.code, 'TransferCoding', coding)
      t.equal(await connection.closed(), '', coding)
    }
  }
  // RFC 9112 §6.1: HTTP/1.0 has no transfer codings, so a proxy in front may have found another end.
  const old = await rawConnection({ port, tls: { ca } })
  const head = 'POST /echo HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n'
  old.send(`${head}3\r\nabc\r\n0\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  t.equal((await old.answer()).status, 400)
  t.equal(await old.closed(), '', 'what follows is no request')
})
