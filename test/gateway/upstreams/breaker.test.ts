// What takes a service away from everybody, and what does not: requests that fail by their caller's doing take it from
// nobody, because the gate looks for itself.
// full: waits for the clock of the breaker, a minute

import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { startFaultProxy } from '../../support/proxies/fault-proxy.js'
import {
  eventually,
  type GateApp,
  type GateOptions,
  openGate,
  recordingUpstream,
  scriptedUpstream,
  type Test,
  urlTarget,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const routes: GateOptions['routes'] = [
  { path: '/ok', methods: { GET: 'public' } },
  { path: '/lost', methods: { GET: 'public', POST: 'public' } },
  { path: '/sick', methods: { GET: 'public' } },
  { path: '/hang', methods: { GET: 'public' }, headersMs: 150 },
]
const eject = { failures: 5, forMs: 60_000, maxPercent: 50 }
const attacker = '198.51.100.1'
const victim = '203.0.113.1'

const get = (path: string, address: string) => `GET ${path} HTTP/1.1\r\n${viaProxy}X-Forwarded-For: ${address}\r\n\r\n`

const handle = ({ url, socket }: IncomingMessage, response: ServerResponse) => {
  if (url === '/lost') socket.destroy()
  else if (url === '/sick') response.writeHead(503).end()
  else if (url !== '/hang') response.end('ok')
}

const openTo = (t: Test, ...ports: number[]) =>
  openGate(t, {
    routes,
    upstreams: {
      things: { targets: ports.map((port) => ({ ...urlTarget(port), weight: 1 })), eject, connections: 64 },
    },
  })

const up = async ({ metrics }: GateApp) => (await metrics.upstreamTargetUp.get()).values.map(({ value }) => value)

/** What the victim gets while the attacker goes on with `path`. */
async function victimStatuses(gate: GateApp, path: string, attackers: readonly string[]): Promise<number[]> {
  let isDone = false
  const attack = Promise.all(
    attackers.map(async (address) => {
      while (!isDone) await Promise.all(Array.from({ length: 6 }, () => rawRequest(gate, get(path, address))))
    }),
  )
  const statuses: number[] = []
  for (let i = 0; i < 30; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    statuses.push((await rawRequest(gate, get('/ok', victim))).status)
  }
  isDone = true
  await attack
  return statuses
}

for (const path of ['/lost', '/hang', '/sick']) {
  t.test(`gateway H5: calls of ${path} that always fail take the service from nobody`, async (t) => {
    const gate = await openTo(t, (await recordingUpstream(t, handle)).port)
    t.same([...new Set(await victimStatuses(gate, path, [attacker]))], [200], 'one caller')
    t.same(
      [...new Set(await victimStatuses(gate, path, [attacker, '198.51.100.2', '198.51.100.3', '198.51.100.4']))],
      [200],
    )
    t.equal((await rawRequest(gate, get('/ok', attacker))).status, 200, 'and not from the caller itself')
    t.same(await up(gate), [1])
  })
}

t.test('gateway H5: calls that fail at all targets leave none of them out', async (t) => {
  const [one, two] = [await recordingUpstream(t, handle), await recordingUpstream(t, handle)]
  const gate = await openTo(t, one.port, two.port)
  for (const path of ['/sick', '/lost', '/hang']) {
    for (let i = 0; i < 40; i += 1) await rawRequest(gate, get(path, attacker))
    t.same(await up(gate), [1, 1], path)
  }
})

t.test(
  'gateway H5: a service that does not answer the gate itself is down for those who met that, and for nobody else',
  async (t) => {
    const quiet = await scriptedUpstream(t, (socket, _request, bytes) => {
      if (bytes.startsWith('GET /ok ')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
    const gate = await openTo(t, quiet.port)
    let status = 0
    for (let tries = 0; tries < 100 && status !== 503; tries += 1) {
      status = (await rawRequest(gate, get('/hang', attacker))).status
    }
    t.equal(status, 503, 'its caller is refused at once')
    t.same(await up(gate), [0])
    t.equal((await rawRequest(gate, get('/ok', victim))).status, 200, 'somebody else is not')
    t.same(await up(gate), [1], 'and one answer ends it')
    t.equal((await rawRequest(gate, get('/ok', attacker))).status, 200)
  },
)

t.test('gateway H5: a service that is gone is refused to everybody, and comes back without a request', async (t) => {
  const proxy = await startFaultProxy(t, (await recordingUpstream(t, handle)).port)
  await proxy.set({ refuse: 'down' })
  const gate = await openTo(t, proxy.port)
  const statuses: number[] = []
  while (!statuses.includes(503)) statuses.push((await rawRequest(gate, get('/ok', attacker))).status)
  t.ok(statuses.length <= eject.failures + 1, `found quickly: ${statuses}`)
  t.equal((await rawRequest(gate, get('/ok', victim))).status, 503, 'nobody has to find out again')
  await proxy.heal()
  let isUp = false
  const look = setInterval(() => void up(gate).then(([value]) => (isUp = value === 1)), 20)
  await eventually(() => isUp, 'the gate has looked')
  clearInterval(look)
  t.equal((await rawRequest(gate, get('/ok', victim))).status, 200)
})
