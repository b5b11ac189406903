// A thousand open streams in one gate: what they cost, and how soon all of them end when the token ends. The other ends
// of them are in a process of their own, so that what is measured is the gate's.
// full: thousands of streams
// run: apart

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { revoke } from '../../../src/revocation/revoke.js'
import { eventually, openGate, urlTarget } from '../../support/rooms/http-gate.js'
import { startStorageChild } from '../../support/storage/storage-child.js'
import { watchStalls } from '../../support/traffic/stalls.js'
import { until } from '../../support/traffic/until.js'

const streams = 1_000
/** Bounds for one stream, threefold and more of what is seen on a slow machine. */
const mostBytes = 300_000
const mostCpuShare = 0.9
/** The second that revocation promises, with threefold slack. */
const mostMs = 3_000

t.test('contract §5: 500 event streams and 500 WebSockets cost little, and end within the bound', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const crowd = startStorageChild(t, '../upstreams/stream-crowd', [])
  await crowd.waitFor('upstream ')
  const upstreamPort = Number(crowd.lines[0]?.split(' ')[1])
  const gate = await openGate(t, {
    routes: [{ path: '/api/v2/live', methods: { GET: ['User.Read.All'] }, stream: true }],
    upstreams: { things: { target: urlTarget(upstreamPort), connections: streams, maxInFlight: streams } },
  })
  const token = await gate.token()
  collect()
  const before = process.memoryUsage()
  crowd.tell(`open ${gate.port} ${token} ${streams}`)
  await crowd.waitFor('all open')
  collect()
  const { rss, heapUsed, external } = process.memoryUsage()
  // What was garbage before is used again, so the process grows by less than it uses.
  const perStream = (heapUsed + external - before.heapUsed - before.external) / streams
  const growth = (rss - before.rss) / streams
  t.comment(`${kib(perStream)} of heap and buffers a stream; the process grew by ${kib(growth)} a stream`)
  t.ok(Math.max(perStream, growth) < mostBytes, `${perStream} bytes`)

  const cpu = process.cpuUsage()
  const began = performance.now()
  await crowd.waitFor('heard ', crowd.lines.filter((line) => line.startsWith('heard ')).length + 3)
  const { user, system } = process.cpuUsage(cpu)
  const share = (user + system) / 1000 / (performance.now() - began)
  t.comment(`${Math.round(share * 1000)} ms of processor a second for ${streams} messages a second`)
  t.ok(share < mostCpuShare, `${share} of a processor`)
  t.match(crowd.lines.at(-1), new RegExp(` on ${streams}$`), 'all of them are still open')
  const gauge = (kind: string) => `portcullis_open_streams{kind="${kind}"} ${streams / 2}\n`
  await until('a tick that counts all', async () => (await gate.metrics.registry.metrics()).includes(gauge('response')))
  const metrics = await gate.metrics.registry.metrics()
  for (const kind of ['response', 'websocket']) t.ok(metrics.includes(gauge(kind)), kind)

  const stalledMs = watchStalls()
  const revokedAt = performance.now()
  await revoke(gate.writes, { what: 'tenant', id: '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02' })
  await crowd.waitFor('all closed')
  const tookMs = performance.now() - revokedAt - stalledMs()
  t.comment(`the last of ${streams} was closed ${Math.round(tookMs)} ms after the revocation`)
  t.ok(tookMs < mostMs * slowness(), `${tookMs} ms`)
  const lines = await eventually(() => {
    const all = gate.logged.filter((line) => line.includes('token_revoked'))
    return all.length === streams ? all : false
  }, 'a line for each')
  t.equal(lines.filter((line) => line.includes('"status":101')).length, streams / 2)
})

function kib(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`
}

/** How much longer than its work needs something takes here now, because others work too; at least 1. */
function slowness(): number {
  const cpu = process.cpuUsage()
  const began = performance.now()
  let spentMs = 0
  while (spentMs < 100) {
    const { user, system } = process.cpuUsage(cpu)
    spentMs = (user + system) / 1000
  }
  return Math.max(1, (performance.now() - began) / spentMs)
}
