// However a target is named, its connection does not lead to the server itself.

import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { Client } from 'undici'
import { secretValue } from '../../../src/config/read/secret-value.js'
import { connector, OwnPlaceReached } from '../../../src/gateway/upstreams/connect.js'
import { type OwnPlaces, ownPlaces } from '../../../src/gateway/upstreams/own-places.js'
import { refuseForwarded } from '../../../src/management/access/local-transport.js'

type Settings = Parameters<typeof ownPlaces>[0]

const tls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined }

function settingsOf(operator: { host: string; port: number }, more: object = {}): Settings {
  const server = { host: '0.0.0.0', port: 1, operator, forwardAuth: undefined }
  return {
    server,
    store: { kind: 'sqlite' },
    redis: undefined,
    data: { folder: '/nowhere' },
    ...more,
  } as unknown as Settings
}

/** The status, or what stood in the way. */
async function outcomeOf(origin: string, own: OwnPlaces, socketPath?: string): Promise<unknown> {
  // Under another name than its own, as DNS may have it.
  const lookup = (_: string, options: { all?: boolean }, found: (error: null, ...more: unknown[]) => void) =>
    options.all === true ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4)
  const connect = connector({ connectMs: 5_000, tls, socketPath, lookup: lookup as never, own })
  const client = new Client(origin, { connect })
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path: '/' })
    await body.dump()
    return statusCode
  } catch (error) {
    return error instanceof OwnPlaceReached ? error.message : error
  } finally {
    await client.destroy()
  }
}

t.test('gateway H2: a name that leads to a listener of the server is refused at the connection', async (t) => {
  let reached = 0
  const server = createServer((_, response) => {
    reached += 1
    response.end()
  })
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const origin = `http://innocent.example.com:${port}`
  const store = { kind: 'postgresql', url: secretValue(`postgresql://u@localhost:${port}/p`) }
  const redis = { url: secretValue(`redis+cluster://10.9.9.9:1,localhost:${port}`) }
  for (const [own, expected] of [
    [settingsOf({ host: '127.0.0.1', port }), /the operator listener/],
    [settingsOf({ host: '0.0.0.0', port }), /the operator listener/],
    [settingsOf({ host: 'localhost', port }), /the operator listener/],
    [settingsOf({ host: '127.0.0.1', port: 1 }, { store }), /the PostgreSQL of the server/],
    [settingsOf({ host: '127.0.0.1', port: 1 }, { redis }), /the Redis of the server/],
  ] as const) {
    t.match(await outcomeOf(origin, ownPlaces(own)), expected)
  }
  t.equal(reached, 0)
  t.equal(await outcomeOf(origin, ownPlaces(settingsOf({ host: '127.0.0.1', port: 1 }))), 200)
  t.equal(await outcomeOf(origin, ownPlaces(settingsOf({ host: '10.9.9.9', port }))), 200, 'another machine’s')
})

t.test('gateway H2: a link to a socket of the server is refused, whatever kind of link it is', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'data'))
  const at = (name: string) => join(folder, name)
  const server = createServer((_, response) => response.end())
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(at('data/admin.sock'), resolve))
  symlinkSync('data/admin.sock', at('soft.sock'))
  linkSync(at('data/admin.sock'), at('hard.sock'))
  const own = ownPlaces(settingsOf({ host: '127.0.0.1', port: 1 }, { data: { folder: at('data') } }))
  for (const name of ['data/admin.sock', 'soft.sock', 'hard.sock', 'data/../data/admin.sock']) {
    t.match(await outcomeOf('http://localhost', own, at(name)), /a socket of the server itself/, name)
  }
  const elsewhere = ownPlaces(settingsOf({ host: '127.0.0.1', port: 1 }, { data: { folder: at('other') } }))
  t.equal(await outcomeOf('http://localhost', elsewhere, at('soft.sock')), 200)
})

t.test('gateway H2: the local transport takes no request that a proxy passed on', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', refuseForwarded)
  app.get('/', () => 'in')
  for (const name of ['via', 'forwarded', 'x-forwarded-for', 'X-Forwarded-Proto', 'x-real-ip']) {
    t.not((await app.inject({ url: '/', headers: { [name]: 'x' } })).body, 'in', name)
  }
  t.equal((await app.inject('/')).body, 'in')
})
