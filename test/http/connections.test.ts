import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { HttpServerOptions } from '../../src/http/server.js'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { loadTls } from '../../src/http/tls/tls.js'
import { createConnectionGuard } from '../../src/limits/connection-guard.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import { listening, testLimits, testServer } from '../support/rooms/http-server.js'
import { until } from '../support/traffic/until.js'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

function rules({ all = 1_000, perAddress = 1_000, perNetwork = 1_000, started = 100_000 } = {}) {
  const guard = { limit: started, periodMs: 3_600_000 }
  return createConnectionGuard({
    counters: createInProcessCounters(),
    guard,
    most: { all, perAddress, perNetwork },
    monotonic: () => 0,
  })
}

type Test = { testdir(): string; teardown(end: () => unknown): unknown }

/** A server over TLS with the caps; `/hang` is never answered. Clients choose their loopback address. */
async function openTestApp(t: Test, caps: Parameters<typeof rules>[0], more: Partial<HttpServerOptions> = {}) {
  const files = await ensureDevelopmentCertificate(t.testdir())
  const metrics = createMetrics()
  const app: FastifyInstance = testServer({
    tls: loadTls(files),
    trustedProxies: [],
    connections: rules(caps),
    metrics,
    ...more,
  })
  app.get('/hello', async () => 'hello')
  const hanging = { count: 0 }
  app.get('/hang', () => {
    hanging.count++
    return new Promise(() => undefined)
  })
  const port = await listening(app)
  const ca = readFileSync(files.caFile, 'utf8')
  const open = new Set<Client>()
  t.teardown(async () => {
    for (const client of open) client.raw.destroy()
    await app.close()
  })
  const dial = (from = '127.0.0.1', says = ''): Client => {
    const raw = connect({ port, host: '127.0.0.1', localAddress: from })
    const client: Client = { raw, closed: false, got: '', tls: undefined }
    raw.on('error', () => undefined).on('close', () => (client.closed = true))
    if (says !== '') raw.write(says)
    open.add(client)
    return client
  }
  const secured = async (from?: string, says?: string): Promise<Client> => {
    const client = dial(from, says)
    const socket = connectTls({ socket: client.raw, ca, servername: 'localhost' })
    client.tls = socket
    socket.on('data', (bytes) => (client.got += bytes)).on('error', () => undefined)
    socket.on('close', () => (client.closed = true))
    await Promise.race([
      new Promise((resolve) => socket.once('secureConnect', resolve)),
      until('it ends', () => client.closed),
    ])
    return client
  }
  const ask = async (client: Client, path = '/hello') => {
    const before = client.got.length
    client.tls?.write(get(path))
    await until('an answer or the end', () => client.closed || client.got.slice(before).endsWith('hello'))
    return !client.closed
  }
  const hang = async (client: Client) => {
    const before = hanging.count
    client.tls?.write(get('/hang'))
    await until('it hangs', () => hanging.count > before)
  }
  const count = async (reason: string, outcome: string) =>
    new RegExp(`connections_ended_total\\{reason="${reason}",outcome="${outcome}"\\} (\\d+)`).exec(
      await metrics.registry.metrics(),
    )?.[1]
  return { app, dial, secured, ask, hang, count, metrics }
}

interface Client {
  raw: Socket
  closed: boolean
  got: string
  tls: Socket | undefined
}

t.test('gateway M6: of one address the connection that is idle longest makes room, a busy one does not', async (t) => {
  const testApp = await openTestApp(t, { perAddress: 4 })
  const clients = [await testApp.secured(), await testApp.secured(), await testApp.secured(), await testApp.secured()]
  for (const client of clients) t.ok(await testApp.ask(client))
  await testApp.hang(clients[0] as Client)
  // The second look finds that nothing has come since the first one.
  const fifth = await testApp.secured()
  const sixth = await testApp.secured()
  t.ok((await testApp.ask(fifth)) || (await testApp.ask(sixth)), 'who comes new is served')
  await until('idle ones are closed', () => clients.slice(1).some(({ closed }) => closed))
  t.equal(clients[0]?.closed, false, 'the one that waits for its answer is not')
  t.ok(Number(await testApp.count('address', 'idle')) > 0, 'and it is counted')
})

t.test('gateway M6: an address that has all its connections busy gets no more, others do', async (t) => {
  const testApp = await openTestApp(t, { perAddress: 3 })
  const busy = [
    await testApp.secured('127.0.0.2'),
    await testApp.secured('127.0.0.2'),
    await testApp.secured('127.0.0.2'),
  ]
  for (const client of busy) await testApp.hang(client)
  for (let i = 0; i < 5; i++) t.equal((await testApp.secured('127.0.0.2')).closed, true, 'refused before TLS')
  t.ok(await testApp.ask(await testApp.secured('127.0.0.3')), 'another address is served')
  t.same(
    busy.map(({ closed }) => closed),
    [false, false, false],
  )
  t.equal(await testApp.count('address', 'refused'), '5')
  busy[0]?.raw.destroy()
  await until('its place is free', async () => testApp.ask(await testApp.secured('127.0.0.2')))
})

t.test('gateway M6: thousands of silent connections of many addresses do not keep anybody out', async (t) => {
  const testApp = await openTestApp(t, { all: 50, perAddress: 40 })
  for (let i = 0; i < 600; i++) testApp.dial(`127.0.1.${1 + (i % 200)}`)
  await until('they are there', async () => Number(await testApp.count('all', 'idle')) > 400)
  for (let i = 0; i < 5; i++) t.ok(await testApp.ask(await testApp.secured('127.0.0.9')))
  t.match(await testApp.metrics.registry.metrics(), /portcullis_connections_open (?:[1-4]?\d|50)\n/)
})

t.test('gateway M6: a trusted proxy is not capped, the clients that it announces are', async (t) => {
  const proxy = await openTestApp(t, { perAddress: 2, started: 2 }, { trustedProxies: ['127.0.0.1'] })
  const many = [await proxy.secured(), await proxy.secured(), await proxy.secured(), await proxy.secured()]
  t.same(
    many.map(({ closed }) => closed),
    [false, false, false, false],
  )

  const balancer = await openTestApp(t, { perAddress: 2 }, { trustedProxies: ['127.0.0.1'], proxyProtocol: true })
  const from = (address: string) => balancer.secured('127.0.0.1', `PROXY TCP4 ${address} 192.0.2.1 4711 443\r\n`)
  const busy = [await from('203.0.113.7'), await from('203.0.113.7')]
  for (const client of busy) await balancer.hang(client)
  t.equal((await from('203.0.113.7')).closed, true, 'one of its clients has enough')
  t.ok(await balancer.ask(await from('203.0.113.8')), 'another one is served')
})

t.test('gateway M6: handshakes of an address are counted by the address guard', async (t) => {
  const testApp = await openTestApp(t, { started: 5 })
  for (let i = 0; i < 5; i++) t.equal((await testApp.secured('127.0.0.2')).closed, false)
  t.equal((await testApp.secured('127.0.0.2')).closed, true)
  t.ok(await testApp.ask(await testApp.secured('127.0.0.3')))
  t.equal(await testApp.count('rate', 'refused'), '1')
})

t.test('gateway M6: a handshake that drips is cut, however busily', async (t) => {
  const testApp = await openTestApp(t, {}, { limits: { ...testLimits, headersTimeoutMs: 700 } })
  const client = testApp.dial()
  client.raw.write(Buffer.from([22, 3, 1, 2, 0]))
  const drip = setInterval(() => client.raw.write(Buffer.from([1])), 50)
  t.teardown(() => clearInterval(drip))
  await until('it is cut', () => client.closed)
  t.pass()
})

t.test('gateway M6: an IPv6 client has its /64, and its /48 a bound of its own', async (t) => {
  const { groupsOf } = rules({ perAddress: 5, perNetwork: 9 })
  const names = (address: string) => groupsOf(address).map(({ kind, name, most }) => `${kind} ${name} ${most}`)
  t.same(names('192.0.2.7'), ['address 192.0.2.7 5'])
  t.same(names('2001:db8:1:2::5'), names('2001:db8:1:2:ffff::1'))
  const [a, b] = [names('2001:db8:1:2::5'), names('2001:db8:1:3::5')]
  t.not(a[0], b[0])
  t.equal(a[1], b[1])
  t.match(a[1], /^network 2001:db8:1:.*\/48 9$/)
  t.not(names('2001:db8:2:2::5')[1], a[1])
})

t.test('gateway M6: new connections of one IPv6 /48 are counted together, whatever /64 they come from', async (t) => {
  const { mayBegin } = rules({ started: 10, perAddress: 5, perNetwork: 10 })
  const granted = (network: string) => Array.from({ length: 100 }, (_, i) => mayBegin(`${network}:${i + 1}::1`))
  t.equal(granted('2001:db8:1').filter(Boolean).length, 20, 'twice as many as of one address, as with open ones')
  t.ok(mayBegin('2001:db8:2:1::1'), 'another network has its own')
  t.ok(mayBegin('192.0.2.7'))
})
