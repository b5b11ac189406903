// The harness itself: a fault proxy does what it says, and each invariant sees its violation. A check that cannot fail
// shows nothing.
// run: alone

import { createServer, connect as dial, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { type Evidence, judge } from '../support/cluster/invariants.js'
import type { Exchange, LedgerToken } from '../support/cluster/token-ledger.js'
import { startFaultProxy } from '../support/proxies/fault-proxy.js'
import { until } from '../support/traffic/until.js'

const good: LedgerToken = {
  text: 'a.b.c',
  jti: 'j',
  applicationId: 'app',
  tenantId: 'tenant',
  credentialId: 'c',
  seq: 1,
  kid: 'k',
  revokingMs: undefined,
  revokedMs: undefined,
  never: undefined,
}
const gone: LedgerToken = { ...good, revokingMs: 1_000, revokedMs: 1_100 }
const sent: Exchange = {
  nonce: 'n',
  token: good,
  sentMs: 5_000,
  endedMs: 5_010,
  status: 200,
  via: 'one',
  fault: undefined,
}
const hit = {
  atMs: 5_005,
  nonce: 'n',
  method: 'GET',
  path: '/',
  applicationId: 'app',
  tenantId: 'tenant',
  permissions: 'x',
}
const usage = { rssMb: 100, descriptors: 30 }
const calm: Evidence = {
  exchanges: [sent],
  waits: [],
  hits: [hit],
  allowances: [],
  writes: [{ what: 'w', count: async () => 1 }],
  audits: [{ what: 'a', count: async () => 1 }],
  spends: [{ what: 's', gave: ['token', 'token'] }],
  usage: [{ name: 'one', before: usage, after: usage }],
  bounds: new Map(),
  lost: [],
}

async function violated(change: Partial<Evidence>): Promise<string> {
  const judgements = await judge({ ...calm, ...change })
  return judgements
    .filter(({ violations }) => violations.length > 0)
    .map(({ invariant }) => invariant)
    .join(' ')
}

t.test('the invariants hold where nothing went wrong', async (t) => {
  t.equal(await violated({}), '')
  const refused = { ...sent, token: gone, status: 401 }
  t.equal(await violated({ exchanges: [refused], hits: [] }), '', 'a revoked token is refused')
  const soon = { ...sent, token: gone, sentMs: 1_900, endedMs: 1_910 }
  t.equal(await violated({ exchanges: [soon] }), '', 'and may be let through for a second')
  const later = { ...soon, sentMs: 2_900, endedMs: 2_910 }
  t.equal(await violated({ exchanges: [later], stalledMs: 1_000 }), '', 'in which something ran')
  t.equal(await violated({ exchanges: [later], stalledMs: 500 }), 'I1 I4', 'and no longer')
  const cut = { ...sent, token: gone, sentMs: 900, endedMs: 1_300, status: 0, fault: 'socket hang up' }
  t.equal(await violated({ exchanges: [cut], hits: [] }), '', 'an open call ends with its token')
  const down = { ...sent, status: 503 }
  const allowances = [{ fromMs: 4_000, toMs: 6_000, statuses: [503] }]
  t.equal(await violated({ exchanges: [down], hits: [], allowances }), '', 'a failure while it is allowed')
  const onlyOne = allowances.map((each) => ({ ...each, saying: 'cannot decide' }))
  t.equal(await violated({ exchanges: [down], hits: [], allowances: onlyOne }), 'I4', 'and no other than this one')
  const said = { ...down, said: 'This instance cannot decide.' }
  t.equal(await violated({ exchanges: [said], hits: [], allowances: onlyOne }), '')
})

type Violation = [title: string, expected: string, change: Partial<Evidence>]
const violations: Violation[] = [
  ['a revoked token reaches the service', 'I1 I4', { exchanges: [{ ...sent, token: gone }] }],
  ['a forged token reaches the service', 'I1 I4', { exchanges: [{ ...sent, token: { ...good, never: 'forged' } }] }],
  ['a request of nobody reaches the service', 'I1', { hits: [hit, { ...hit, nonce: 'other' }] }],
  ['the service gets another caller', 'I1', { hits: [{ ...hit, tenantId: 'other' }] }],
  ['an acknowledged write is missing', 'I2', { writes: [{ what: 'w', count: async () => 0 }] }],
  ['an acknowledged write is doubled', 'I2', { writes: [{ what: 'w', count: async () => 2 }] }],
  ['a code gives two different tokens', 'I3', { spends: [{ what: 's', gave: ['one', 'other'] }] }],
  ['an event without a line in the ledger', 'I8', { audits: [{ what: 'a', count: async () => 0 }] }],
  ['an event with two lines', 'I8', { audits: [{ what: 'a', count: async () => 2 }] }],
  ['a good token is refused', 'I4', { exchanges: [{ ...sent, status: 401 }] }],
  ['a 5xx that is not allowed', 'I4', { exchanges: [{ ...sent, status: 503 }] }],
  ['a connection that breaks', 'I4', { exchanges: [{ ...sent, status: 0 }] }],
  ...[
    { sentMs: 900, endedMs: 1_150 },
    { sentMs: 500, endedMs: 950 },
    { sentMs: 2_200, endedMs: 2_600 },
    { sentMs: 900, endedMs: 3_200 },
    { sentMs: 900, endedMs: 1_300, fault: 'connect ECONNREFUSED' },
  ].map(
    (change): Violation => [
      `a connection with a revoked token that breaks, not because of that: ${JSON.stringify(change)}`,
      'I4',
      { exchanges: [{ ...sent, fault: 'socket hang up', ...change, token: gone, status: 0 }], hits: [] },
    ],
  ),
  [
    'an allowed 503 without Retry-After',
    'I4',
    { exchanges: [{ ...sent, status: 503, fault: 'x' }], allowances: [{ fromMs: 0, statuses: [503] }] },
  ],
  [
    'more failures than are allowed',
    'I4',
    { exchanges: [{ ...sent, status: 0 }], allowances: [{ fromMs: 0, statuses: [0], most: 0 }] },
  ],
  ['an answer to another request', 'I5', { exchanges: [{ ...sent, fault: 'the answer to another' }] }],
  ['memory that grew', 'I6', { usage: [{ name: 'one', before: usage, after: { ...usage, rssMb: 200 } }] }],
  ['descriptors that leaked', 'I6', { usage: [{ name: 'one', before: usage, after: { ...usage, descriptors: 99 } }] }],
  ['an instance that ended by itself', 'I7', { lost: ['one'] }],
]
for (const [title, expected, change] of violations) {
  t.test(`an invariant sees: ${title}`, async (t) => t.equal(await violated(change), expected))
}

/** A server that echoes, behind a fault proxy. */
async function echo(t: Test) {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return startFaultProxy(t, (server.address() as { port: number }).port)
}

async function open(t: Test, port: number): Promise<{ socket: Socket; heard: () => string }> {
  const socket = dial({ host: '127.0.0.1', port })
  t.teardown(() => socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return { socket, heard: () => Buffer.concat(chunks).toString() }
}

t.test(
  'a fault proxy delays, holds back, slices, cuts, resets and goes away, while connections are open',
  async (t) => {
    const proxy = await echo(t)
    const { socket, heard } = await open(t, proxy.port)
    socket.write('plain ')
    await until('it passes', () => heard() === 'plain ')

    await proxy.set({ toTarget: { latencyMs: 60 }, toClient: { latencyMs: 60, sliceBytes: 1 } })
    socket.write('slow ')
    t.ok((await until('it comes late', () => heard() === 'plain slow ')) >= 110, 'both directions take their time')

    await proxy.blackhole()
    socket.write('held ')
    await new Promise((resolve) => setTimeout(resolve, 100))
    t.equal(heard(), 'plain slow ', 'nothing passes')
    await proxy.heal()
    await until('it passes afterwards', () => heard() === 'plain slow held ')

    await proxy.set({ toTarget: { bytesPerSecond: 100 } })
    socket.write('x'.repeat(20))
    t.ok((await until('it trickles', () => heard().endsWith('x'.repeat(20)))) >= 180)

    await proxy.set({ toClient: { limitBytes: 10 } })
    socket.write('more than that')
    await until('it is cut', () => socket.destroyed)

    const second = await open(t, proxy.port)
    await proxy.set({ refuse: 'reset' })
    await until('it is reset', () => second.socket.destroyed)
    // It may be so soon that the client never sees it open.
    const third = await open(t, proxy.port).catch(() => undefined)
    await until('a new one is reset too', () => third?.socket.destroyed ?? true)
    await proxy.set({ refuse: 'down' })
    await t.rejects(open(t, proxy.port), { code: 'ECONNREFUSED' })
    await proxy.heal()
    const { socket: last, heard: said } = await open(t, proxy.port)
    last.write('back')
    await until('it is there again', () => said() === 'back')
  },
)
