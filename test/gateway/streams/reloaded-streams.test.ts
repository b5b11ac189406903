// Open streams after a reload: what its rules would not let through any more ends, and nothing else does.
// full: streams that outlive a reload, by the clock

import t from 'tap'
import { atOnce } from '../../../src/config/reload/steps.js'
import {
  eventually,
  type GateApp,
  openGate,
  type RouteInput,
  recordingUpstream,
  type Test,
  urlTarget,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { type RawConnection, rawConnection } from '../../support/traffic/http-raw.js'

const live: RouteInput = { path: '/live', methods: { GET: ['User.Read.All'] }, stream: true }
const open: RouteInput = { path: '/open', methods: { GET: 'public' }, stream: true }
const long: RouteInput = { path: '/long', methods: { GET: 'public' } }

async function streamingGate(t: Test) {
  const upstream = await recordingUpstream(t, (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('data: 1\n\n'), 50)
    response.on('close', () => clearInterval(timer))
  })
  const gate = await openGate(t, {
    routes: [live, open, long],
    upstreams: { things: { target: upstream.target } },
    replace: () => ({ reloadGraceMs: 300 }),
  })
  return { upstream, gate }
}

async function streamOf(t: Test, gate: GateApp, path: string, token?: string): Promise<RawConnection> {
  const connection = await rawConnection(gate)
  t.teardown(() => connection.socket.destroy())
  const bearer = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  const firstBytes = new Promise((resolve) => connection.socket.once('data', resolve))
  connection.send(`GET ${path} HTTP/1.1\r\n${viaProxy}${bearer}\r\n`)
  await firstBytes
  return connection
}

type Settings = GateApp['deps']['settings']

/** Puts changed rules in place. */
function reload(gate: GateApp, change: (settings: Settings) => Partial<Settings>): void {
  const { settings } = gate.deps
  atOnce(gate.deps.gate.replace({ ...settings, ...change(settings) }))
}

const withRoute = (path: string, more: object | undefined) => (settings: Settings) => ({
  routes: settings.routes.flatMap((route) => {
    if (route.path !== path) return [route]
    return more === undefined ? [] : [{ ...route, ...more }]
  }),
})

const reasonOf = (gate: GateApp, reason: string) =>
  eventually(() => gate.logged.some((line) => line.includes(`"reason":"${reason}"`)), reason)

t.test('gateway M10: a stream ends when a reload has taken its route away, a public one too', async (t) => {
  for (const path of ['/live', '/open', '/long']) {
    const { gate } = await streamingGate(t)
    const ends = await streamOf(t, gate, path, await gate.token())
    const stays = await streamOf(t, gate, path === '/open' ? '/live' : '/open', await gate.token())
    reload(gate, withRoute(path, undefined))
    await ends.closed()
    await reasonOf(gate, 'route_gone')
    t.notOk(stays.socket.destroyed, `${path}: what is still there goes on`)
  }
})

t.test('gateway M10: a stream ends when its caller does not meet what the route asks for now', async (t) => {
  const { gate } = await streamingGate(t)
  const reader = await gate.token()
  const more = await gate.token(['User.Read.All', 'User.ReadWrite.All'])
  const [ends, stays] = [await streamOf(t, gate, '/live', reader), await streamOf(t, gate, '/live', more)]
  reload(gate, withRoute('/live', { methods: new Map([['GET', { anyOf: [['User.ReadWrite.All']] }]]) }))
  await ends.closed()
  await reasonOf(gate, 'route_changed')
  t.notOk(stays.socket.destroyed, 'who meets it goes on')
})

t.test('gateway M10: a stream without a token ends when the route asks for one now', async (t) => {
  const { gate } = await streamingGate(t)
  const ends = await streamOf(t, gate, '/open')
  reload(gate, withRoute('/open', { methods: new Map([['GET', { anyOf: [['User.Read.All']] }]]) }))
  await ends.closed()
  await reasonOf(gate, 'route_changed')
})

t.test('gateway M10: a stream ends when its target is gone, and no other change of the service ends it', async (t) => {
  const { gate, upstream } = await streamingGate(t)
  const stream = await streamOf(t, gate, '/live', await gate.token())
  const changed = (more: object) => (settings: Settings) => ({
    upstreams: new Map([...settings.upstreams].map(([name, one]) => [name, { ...one, ...more }])),
  })
  reload(gate, changed({ headersMs: 4_000 }))
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  t.notOk(stream.socket.destroyed, 'another time-out')
  const elsewhere = await recordingUpstream(t)
  reload(gate, changed({ targets: [{ ...urlTarget(elsewhere.port), weight: 1 }] }))
  await stream.closed()
  await reasonOf(gate, 'upstream_changed')
  const before = upstream.requests.length
  t.equal(before, 1)
})
