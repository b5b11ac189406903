// The rooms of the public listener that are made when somebody first comes to them: counted before and after, and what
// callers hear who come at once, to nobody's address, or when they cannot be made.

import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { loadSettings } from '../../src/config/read/load.js'
import { packageRoot } from '../../src/config/read/package-root.js'
import { ApiError } from '../../src/http/answers/api-error.js'
import { createApp } from '../../src/instance/app.js'
import { isOfRooms } from '../../src/instance/rooms/addresses.js'
import { createLog } from '../../src/observability/process-log.js'
import { eventually } from '../support/rooms/http-gate.js'
import { listening, proxied, testServer } from '../support/rooms/http-server.js'

const silent = {
  ...{ level: 'silent', child: () => silent },
  ...{ info() {}, warn() {}, error() {}, debug() {}, trace() {}, fatal() {} },
}
const headers = { host: 'localhost', 'x-forwarded-proto': 'https' }

t.test('made for the first who come', async (t) => {
  const made: { app: FastifyInstance; urls: Set<string> }[] = []
  let failsNext = false
  const note = (message: unknown) => {
    const { fastify: app } = message as { fastify: FastifyInstance }
    if (failsNext) {
      app.addHook('onReady', async () => {
        throw new Error('not yet')
      })
    }
    const urls = new Set<string>()
    app.addHook('onRoute', ({ url }) => void urls.add(url))
    made.push({ app, urls })
  }
  subscribe('fastify.initialization', note)
  t.teardown(() => unsubscribe('fastify.initialization', note))
  const env = { PORTCULLIS_DATA: t.testdir(), PORTCULLIS_TRUSTED_PROXIES: '127.0.0.1' }
  const settings = loadSettings({ file: join(String(packageRoot()), 'config', 'portcullis.yaml'), env })
  const instance = await createApp({ settings, masterKeys: [randomBytes(32)], version: '1.2.3', log: silent as never })
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await instance.stop()
    isStopped = true
  }
  t.teardown(stop)
  const [listener] = made.filter(({ urls }) => urls.has('/.well-known/openid-configuration'))
  if (listener === undefined) throw new Error('no listener')
  await listener.app.ready()
  const ask = async (url: string, method: 'GET' | 'DELETE' = 'GET') =>
    (await listener.app.inject({ method, url, headers })).statusCode

  const before = made.length
  const registered = made.reduce((sum, { urls }) => sum + urls.size, 0)
  t.ok(registered < 100, `${registered} addresses before the first request`)
  t.notOk(made.some(({ urls }) => [...urls].some((url) => url.startsWith('/portal'))))
  t.equal(await ask('/api/v2/me'), 401, 'the gate')
  t.equal(await ask('/sign-in', 'DELETE'), 405, 'identity')
  t.equal(made.length, before, 'nothing is made for them')
  failsNext = true
  t.same(await Promise.all([ask('/portal'), ask('/docs')]), [503, 503], 'one that fails at its very end')
  t.equal(await ask('/api/v2/me'), 401, 'others hear nothing of it')
  failsNext = false
  const failed = made.length
  t.equal(await ask('/assets/nothing.css', 'DELETE'), 404)
  t.same(
    await Promise.all([
      ask('/portal', 'DELETE'),
      ask('/portal/nothing-like-it'),
      ask('/%70ortal', 'DELETE'),
      ask('/api/v2/applications'),
      ask('/api/v2/status', 'DELETE'),
      ask('/docs'),
      ask('/portal%2fserver'),
    ]),
    [405, 404, 405, 401, 405, 200, 400],
  )
  const portals = made.filter(({ urls }) => urls.has('/portal'))
  t.equal(portals.length, 2, 'one portal beside the one that failed')
  t.same([failed - before, made.length - failed], [1, 1], 'nothing else')
  const rooms = portals.at(-1)
  for (const url of rooms?.urls ?? []) {
    if (url !== '/' && !url.endsWith('/*')) t.ok(isOfRooms(url), url)
  }
  let isClosed = false
  const close = rooms?.app.close.bind(rooms.app)
  if (rooms !== undefined && close !== undefined) {
    rooms.app.close = (async () => {
      isClosed = true
      await close()
    }) as never
  }
  await stop()
  t.ok(isClosed, 'the rooms end with their listener')
})

t.test('a request that is answered elsewhere waits for it, and hears of a failure', async (t) => {
  const other = testServer({ isBehind: true })
  other.get('/there/:id', async (request) => ({ of: (request.params as { id: string }).id }))
  await other.ready()
  let tries = 0
  const app = testServer({
    elsewhere: ({ url }) => {
      if (!url.startsWith('/there')) return undefined
      tries++
      if (tries > 1) return Promise.resolve(other)
      return Promise.reject(new ApiError(503, 'ServiceUnavailable', 'Not now.', { headers: { 'retry-after': '5' } }))
    },
  })
  app.get('/here', async () => 'here')
  t.teardown(async () => {
    await app.close()
    await other.close()
  })
  const ask = (url: string) => app.inject({ url, headers })
  const refused = await ask('/there/1')
  t.match(refused, { statusCode: 503, headers: { 'retry-after': '5' } })
  t.equal((await ask('/here')).body, 'here')
  const answered = await ask('/there/2?x=1')
  t.same([answered.statusCode, answered.json()], [200, { of: '2' }])
  t.match(answered.headers['request-id'], /^[0-9a-f-]{36}$/)
  t.equal((await app.inject({ url: '/there/2', headers: { ...headers, host: 'elsewhere.example' } })).statusCode, 421)
})

t.test('who leaves while it is waited for is counted and logged as one who left', async (t) => {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const other = testServer({ isBehind: true })
  await other.ready()
  let make = (_made: FastifyInstance) => {}
  let fail = (_error: Error) => {}
  const waiting = new Promise<FastifyInstance>((resolve) => {
    make = resolve
  })
  const broken = new Promise<FastifyInstance>((_resolve, reject) => {
    fail = reject
  })
  let came = 0
  let gone = 0
  const app = testServer({
    accessLog: true,
    logger: { existing: createLog({ level: 'info', format: 'json' }, stream) },
    elsewhere({ url }) {
      came += 1
      return url === '/waiting' ? waiting : broken
    },
  })
  t.teardown(async () => {
    await app.close()
    await other.close()
  })
  const port = await listening(app)
  app.server.on('connection', (socket) =>
    socket.once('close', () => {
      gone += 1
    }),
  )
  const sockets = ['waiting', 'broken'].map((path) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET /${path} HTTP/1.1\r\n${proxied}\r\n`))
    return socket
  })
  await eventually(() => came === 2)
  for (const socket of sockets) socket.destroy()
  await eventually(() => gone === 2)
  make(other)
  fail(new ApiError(503, 'ServiceUnavailable', 'Not now.'))
  const logged = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  await eventually(() => logged().length === 2)
  t.same(
    logged().map(({ path, status }) => [path, status]),
    [
      ['/waiting', 499],
      ['/broken', 499],
    ],
  )
})
