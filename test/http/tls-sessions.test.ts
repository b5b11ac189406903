// Sessions of TLS: resumed wherever the next connection lands, for as long as their key lives, and by nobody who would
// get past a check that way.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect } from 'node:tls'
import t, { type Test } from 'tap'
import { isPartialHello, readClientHello } from '../../src/http/tls/client-hello.js'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { shareSessions } from '../../src/http/tls/resumption.js'
import { createTicketKeys, type TicketKeys, ticketPeriodMs } from '../../src/http/tls/ticket-keys.js'
import { loadTls, watchTls } from '../../src/http/tls/tls.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { makeCertificates } from '../support/databases/postgresql-certificates.js'
import { listening, testServer } from '../support/rooms/http-server.js'

const baseUrl = 'https://localhost:8443'
const secret = randomBytes(32)
const folder = t.testdirName
const files = await ensureDevelopmentCertificate(join(folder, 'tls'))

interface Answered {
  resumed: boolean
  text: string
  session: Buffer
  protocol: string | null
}

/** One request on a connection of its own. */
function getHello(port: number, options: ConnectionOptions = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    let text = ''
    let session = Buffer.alloc(0)
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false, ...options })
    socket.on('session', (ticket) => {
      session = ticket
    })
    socket.on('data', (bytes) => {
      text += String(bytes)
    })
    socket.on('error', reject)
    const seen = () => ({ resumed: socket.isSessionReused(), protocol: socket.getProtocol() })
    let facts = { resumed: false, protocol: null as string | null }
    socket.once('secureConnect', () => {
      facts = seen()
    })
    socket.on('close', () => (text === '' ? reject(new Error('no answer')) : resolve({ ...facts, text, session })))
    socket.write('GET /hello HTTP/1.1\r\nHost: localhost:8443\r\nConnection: close\r\n\r\n')
  })
}

/** An instance, as far as connections go. */
async function instance(t: Test, tickets: TicketKeys | undefined, tls = loadTls(files)) {
  const metrics = createMetrics()
  const app = testServer({ tls, tickets, metrics })
  app.get('/hello', async () => 'hello')
  t.teardown(() => app.close())
  return { port: await listening(app), server: app.server, metrics }
}

t.test('a session goes on at another instance that has the master key, and at no other', async (t) => {
  const keys = () => createTicketKeys(secret, baseUrl)
  const [one, two] = [await instance(t, keys()), await instance(t, keys())]
  const foreign = await instance(t, createTicketKeys(randomBytes(32), baseUrl))
  const neighbour = await instance(t, createTicketKeys(secret, 'https://other.example'))
  const first = await getHello(one.port)
  t.match(first, { resumed: false, protocol: 'TLSv1.3', text: /^HTTP\/1.1 200 / })
  const { session } = first
  t.match(await getHello(two.port, { session }), { resumed: true, text: /hello$/ })
  t.equal((await getHello(one.port, { session })).resumed, true)
  const text = await two.metrics.registry.metrics()
  t.match(text, /tls_handshakes_total\{kind="full"\} 0\n.*tls_handshakes_total\{kind="resumed"\} 1\n/)
  t.match(await one.metrics.registry.metrics(), /tls_handshakes_total\{kind="full"\} 1\n/)
  t.equal((await getHello(foreign.port, { session })).resumed, false, 'another master key')
  t.equal((await getHello(neighbour.port, { session })).resumed, false, 'another base URL')
})

t.test('a session of one certificate is none of another one, at any instance', async (t) => {
  makeCertificates(t.testdir(), 'other.test')
  const other = { certFile: join(t.testdirName, 'own.crt'), keyFile: join(t.testdirName, 'own.key') }
  const tls = loadTls({ ...files, more: [other] })
  const [one, two] = await Promise.all([1, 2].map(() => instance(t, createTicketKeys(secret, baseUrl), tls)))
  if (one === undefined || two === undefined) return
  const { session } = await getHello(one.port, { servername: 'a.localhost' })
  t.equal((await getHello(two.port, { session, servername: 'b.localhost' })).resumed, true, 'one certificate')
  t.equal((await getHello(two.port, { session, servername: 'other.test' })).resumed, false)
  const { session: theirs } = await getHello(two.port, { servername: 'other.test' })
  t.equal((await getHello(one.port, { session: theirs, servername: 'other.test' })).resumed, true)
  t.equal((await getHello(one.port, { session: theirs, servername: 'localhost' })).resumed, false)
})

t.test('TLS 1.2 gets no ticket whose key anybody could have later: it goes on within one process', async (t) => {
  const [one, two] = await Promise.all([1, 2].map(() => instance(t, createTicketKeys(secret, baseUrl))))
  if (one === undefined || two === undefined) return
  const { session, protocol } = await getHello(one.port, { maxVersion: 'TLSv1.2' })
  t.equal(protocol, 'TLSv1.2')
  t.equal((await getHello(one.port, { maxVersion: 'TLSv1.2', session })).resumed, true)
  t.equal((await getHello(two.port, { maxVersion: 'TLSv1.2', session })).resumed, false)
})

t.test(
  'a ticket is taken in its period and the one after, and a new certificate changes nothing of that',
  async (t) => {
    const pair = { cert: readFileSync(files.certFile, 'utf8'), key: readFileSync(files.keyFile, 'utf8') }
    let now = Date.now()
    const keys = createTicketKeys(secret, baseUrl)
    const server = createServer(pair, (_request, response) => response.end('hello'))
    const shared = shareSessions(server, { keys, tls: pair, now: () => now })
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) =>
      socket.once('data', (bytes: Buffer) => {
        socket.pause()
        socket.unshift(bytes)
        shared.take(socket, bytes)
        process.nextTick(() => socket.resume())
      }),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const { port } = server.address() as { port: number }
    const { session } = await getHello(port)
    const later = async (periods: number) => {
      now += periods * ticketPeriodMs
      shared.turn()
      return (await getHello(port, { session })).resumed
    }
    t.equal(await later(0), true)
    t.equal(await later(1), true, 'by the key before')
    server.setSecureContext(pair)
    t.equal(await later(0), true, 'after the certificate was read again')
    t.equal(await later(1), false, 'that key has gone')
    t.equal((await getHello(port, { session: (await getHello(port)).session })).resumed, true, 'and there is another')
  },
)

t.test('where clients present certificates every connection shows its own: nothing is resumed', async (t) => {
  const certificates = makeCertificates(t.testdir(), 'localhost')
  const own = (name: string) => join(t.testdirName, name)
  const clientsFile = own('ca.crt')
  const tlsFiles = { certFile: own('own.crt'), keyFile: own('own.key'), clientsFile }
  const { port, server } = await instance(t, createTicketKeys(secret, baseUrl), loadTls(tlsFiles))
  const client = { cert: certificates.certificate, key: certificates.key }
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
    const { session } = await getHello(port, { ...client, maxVersion })
    if (session.length > 0) {
      t.equal((await getHello(port, { ...client, maxVersion, session })).resumed, false, maxVersion)
      await t.rejects(getHello(port, { maxVersion, session }), 'without a certificate a session opens nothing')
    }
  }
  const watch = watchTls(tlsFiles, { server: server as never, onError: (error) => void t.error(error) })
  t.teardown(() => watch.stop())
  t.match(await getHello(port, client), { text: /hello$/ })
})

t.test('HTTP/1.1 is what is spoken, and a client that speaks only another protocol is told so', async (t) => {
  const { port } = await instance(t, createTicketKeys(secret, baseUrl))
  const chosen = (options: ConnectionOptions) =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
        resolve(socket.alpnProtocol)
        socket.destroy()
      }).on('error', reject)
    })
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
    t.equal(await chosen({ maxVersion, ALPNProtocols: ['h2', 'http/1.1'] }), 'http/1.1')
    await t.rejects(chosen({ maxVersion, ALPNProtocols: ['h2'] }), /alert/)
  }
})

t.test('a first message in pieces is put together, and one that never ends is not waited for', async (t) => {
  const keys = createTicketKeys(secret, baseUrl)
  const { port } = await instance(t, keys)
  const { session } = await getHello(port)
  // A proxy that splits what the client says first.
  const { createServer: listen } = await import('node:net')
  const splitter = listen((client) => {
    const there = dial(port, '127.0.0.1').setNoDelay()
    there.pipe(client)
    client.once('data', (bytes) => {
      const parts = [bytes.subarray(0, 3), bytes.subarray(3, 90), bytes.subarray(90)]
      const next = () => {
        const part = parts.shift()
        if (part !== undefined) there.write(part, () => setImmediate(next))
        else client.pipe(there)
      }
      next()
    })
    for (const end of [client, there]) end.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => splitter.listen(0, '127.0.0.1', resolve))
  t.teardown(() => splitter.close())
  t.equal((await getHello((splitter.address() as { port: number }).port, { session })).resumed, true)
})

t.test('what is no first message says nothing, however it is cut', async (t) => {
  const seen = new Promise<Buffer>((resolve) => {
    void import('node:net').then(({ createServer: listen }) => {
      const server = listen((socket) =>
        socket.once('data', (bytes: Buffer) => {
          resolve(bytes)
          socket.destroy()
          server.close()
        }),
      )
      server.listen(0, '127.0.0.1', () => {
        connect({ port: (server.address() as { port: number }).port, servername: 'localhost' }).on('error', () => 0)
      })
    })
  })
  const hello = await seen
  t.match(readClientHello(hello), { offersTls13: true, name: 'localhost', ticket: undefined })
  t.equal(isPartialHello(hello), false)
  for (let at = 0; at < hello.length; at++) {
    const cut = hello.subarray(0, at)
    t.doesNotThrow(() => readClientHello(cut))
    if (at > 0 && !isPartialHello(cut)) t.fail(`${at} bytes are a part`)
    const changed = Buffer.from(hello)
    changed[at] = 0xff
    t.doesNotThrow(() => readClientHello(changed))
  }
  t.equal(readClientHello(Buffer.from('GET / HTTP/1.1\r\n\r\n')), undefined)
  t.equal(isPartialHello(Buffer.from('GET')), false)
  t.equal(isPartialHello(Buffer.of(22, 3, 1, 0xff, 0xff, 1)), false, 'longer than a record can be')
})
