// Several targets behind one upstream: which of them gets a request, what is sent again, and what stays when the
// configuration changes.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { secretValue } from '../../../src/config/read/secret-value.js'
import { atOnce } from '../../../src/config/reload/steps.js'
import type { TargetPlace, UpstreamSettings } from '../../../src/config/settings/upstream-settings.js'
import { explainUpstream } from '../../../src/gateway/explain/table.js'
import { type ResolveName, watchAddresses } from '../../../src/gateway/upstreams/addresses.js'
import { balanceBy } from '../../../src/gateway/upstreams/balance.js'
import { createRetries } from '../../../src/gateway/upstreams/retries.js'
import { createTarget, type Target } from '../../../src/gateway/upstreams/target.js'
import type { Upstream } from '../../../src/gateway/upstreams/upstream.js'
import { steadyPort } from '../../support/programs/steady-port.js'
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
import { upstreamSettings } from '../../support/settings/upstream-settings.js'
import { rawRequest } from '../../support/traffic/http-raw.js'
import { resetConnection } from '../../support/traffic/reset-connection.js'
import { askTarget } from '../../support/upstreams/sent-request.js'

const routes: GateOptions['routes'] = [
  { path: '/api/v2/things', methods: { GET: 'public', HEAD: 'public', POST: 'public', DELETE: 'public' } },
]
const get = `GET /api/v2/things HTTP/1.1\r\n${viaProxy}\r\n`
const post = `POST /api/v2/things HTTP/1.1\r\n${viaProxy}Content-Length: 2\r\n\r\nhi`
const remove = `DELETE /api/v2/things HTTP/1.1\r\n${viaProxy}\r\n`
const retry = (when: UpstreamSettings['retry']['when'], attempts = 1) => ({ attempts, when, budgetPercent: 20 })
const eject = { failures: 2, forMs: 300, maxPercent: 50 }

const openTo = (t: Test, targets: readonly { target: TargetPlace }[], more: Partial<UpstreamSettings> = {}) =>
  openGate(t, {
    routes,
    upstreams: { things: { targets: targets.map(({ target }) => ({ ...target, weight: 1 })), ...more } },
  })

/** A target that is configured and where nobody listens. */
async function goneTarget() {
  return { target: urlTarget(await steadyPort()) }
}

const retried = async ({ metrics }: GateApp) =>
  Object.fromEntries((await metrics.upstreamRetries.get()).values.map(({ labels, value }) => [labels['reason'], value]))

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen in time`)
    await wait(5)
  }
}

/** Whole ones: so many tries a service that is down may have had besides. */
const secondsSince = (began: number) => Math.floor((performance.now() - began) / 1_000)

/** For each target in its order, whether requests go to it. */
const up = async ({ metrics }: GateApp) => (await metrics.upstreamTargetUp.get()).values.map(({ value }) => value)

const fakeTargets = (...weights: number[]) =>
  weights.map((weight, i) => ({ label: `http://10.0.0.${i}:80`, weight, inFlight: 0 }) as Target)

t.test('by turns, targets get requests by their weight, and never all in a row', async (t) => {
  const [a, b, c] = fakeTargets(1, 1, 2)
  const next = balanceBy('round-robin')
  const order = Array.from({ length: 8 }, () => next([a, b, c] as Target[], undefined, '').label.at(-4))
  t.equal(order.join(''), '20122012')
  const without = Array.from({ length: 4 }, () => next([a, b] as Target[], undefined, '').label.at(-4))
  t.same(without.sort(), ['0', '0', '1', '1'], 'one that is left out is passed over')
})

t.test('by least requests, the one with less to do for its weight is taken, of two that chance picks', async (t) => {
  const [a, b] = fakeTargets(1, 3) as [Target, Target]
  const next = balanceBy('least-requests')
  a.inFlight = 1
  b.inFlight = 2
  t.ok(Array.from({ length: 50 }, () => next([a, b], undefined, '')).every((target) => target === b))
  b.inFlight = 4
  t.ok(Array.from({ length: 50 }, () => next([a, b], undefined, '')).every((target) => target === a))
  a.inFlight = b.inFlight = 0
  const many = Array.from({ length: 4000 }, () => next([a, b], undefined, ''))
  const share = many.filter((target) => target === b).length / many.length
  t.ok(share > 0.7 && share < 0.8, `idle, by weight: ${share}`)
  t.equal(next([a], undefined, ''), a, 'one alone')
})

t.test('by hash, a caller stays where it is, and only those of a target that went go elsewhere', async (t) => {
  const targets = fakeTargets(1, 1, 2)
  const next = balanceBy({ hash: 'tenant' })
  const principal = (tenantId: string) => ({ tenantId, applicationId: 'a', kind: 'application' }) as never
  const tenants = Array.from({ length: 4000 }, (_, i) => `tenant-${i}`)
  const before = tenants.map((tenant) => next(targets, principal(tenant), '10.0.0.1'))
  t.same(
    before,
    tenants.map((tenant) => next(targets, principal(tenant), '10.9.9.9')),
    'whatever the address',
  )
  const share = before.filter((target) => target === targets[2]).length / tenants.length
  t.ok(share > 0.46 && share < 0.54, `by weight: ${share}`)
  const [, ...left] = targets
  const after = tenants.map((tenant) => next(left, principal(tenant), ''))
  t.ok(before.every((target, i) => target === targets[0] || target === after[i]))
  t.equal(next(targets, undefined, '10.0.0.1'), next(targets, undefined, '10.0.0.1'), 'nobody: by address')
})

t.test('requests go to all targets, each under its own name, over TCP and over a Unix socket', async (t) => {
  const first = await recordingUpstream(t, undefined, { basePath: '/base' })
  // A short path: a longer one than 107 bytes is cut.
  const folder = mkdtempSync(join(tmpdir(), 'targets-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const socketPath = join(folder, 'service.sock')
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(`${request.headers.host} ${request.url}`)
    response.writeHead(302, { location: 'http://localhost/base/there' }).end()
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  t.teardown(() => server.close())
  const gate = await openTo(t, [first, { target: { kind: 'unix', socketPath, basePath: '/base' } }])
  const answers = []
  for (let i = 0; i < 4; i++) answers.push(await rawRequest(gate, get))
  t.same(answers.map(({ status }) => status).sort(), [200, 200, 302, 302])
  t.same(
    first.requests.map(({ url, headers }) => [url, headers.host]),
    [
      ['/base/api/v2/things', `127.0.0.1:${first.port}`],
      ['/base/api/v2/things', `127.0.0.1:${first.port}`],
    ],
  )
  t.same(received, ['localhost /base/api/v2/things', 'localhost /base/api/v2/things'])
  const location = answers.find(({ status }) => status === 302)?.headers.get('location')
  t.same(location, ['https://portcullis.test/there'], 'its own address is turned into ours')
  t.same(await up(gate), [1, 1])
})

t.test('F26 a request that no connection stood for goes to another target, whatever its method', async (t) => {
  const gone = await goneTarget()
  const alive = await recordingUpstream(t)
  const gate = await openTo(t, [gone, alive], { retry: retry(['connect']) })
  for (const request of [get, post, remove, get, post, remove]) {
    t.equal((await rawRequest(gate, request)).status, 200)
  }
  t.same(alive.requests.map(({ method, body }) => method + body).sort(), [
    'DELETE',
    'DELETE',
    'GET',
    'GET',
    'POSThi',
    'POSThi',
  ])
  t.same(await retried(gate), { connect: 3 })
})

t.test(
  'F26 P3 a GET that a new connection lost goes to another target; a POST and half an answer do not',
  async (t) => {
    let toDo: 'reset' | 'half' = 'reset'
    const bad = await scriptedUpstream(t, (socket) => {
      if (toDo === 'half') socket.write('HTTP/1.1 200 O')
      setImmediate(() => resetConnection(socket))
    })
    const alive = await recordingUpstream(t)
    const gate = await openTo(t, [bad, alive], { retry: retry(['reset']) })
    t.equal((await rawRequest(gate, get)).status, 200)
    t.equal((await rawRequest(gate, get)).status, 200)
    t.same(await retried(gate), { reset: 1 })
    const statuses = [(await rawRequest(gate, post)).status, (await rawRequest(gate, post)).status]
    t.same(statuses.sort(), [200, 502], 'a POST is sent once')
    toDo = 'half'
    const halves = [(await rawRequest(gate, get)).status, (await rawRequest(gate, get)).status]
    t.same(halves.sort(), [200, 502], 'an answer had begun')
    t.same(await retried(gate), { reset: 1 })
  },
)

t.test('P3 503 sends a GET to another target once, at once, and leaves no connection behind', async (t) => {
  const busy = () =>
    recordingUpstream(t, (_request, response) => response.writeHead(503, { 'retry-after': '120' }).end('busy'))
  const [first, second] = [await busy(), await busy()]
  const gate = await openTo(t, [first, second], { retry: retry(['503']) })
  const startedAt = performance.now()
  const answer = await rawRequest(gate, get)
  t.same([answer.status, answer.body], [503, 'busy'], 'the last answer passes untouched')
  t.ok(performance.now() - startedAt < 20_000, 'Retry-After of the first is not slept')
  t.same([first.requests.length, second.requests.length], [1, 1])
  t.equal((await rawRequest(gate, post)).status, 503)
  t.same(first.requests.length + second.requests.length, 3, 'a POST is sent once')
  const open = (): Promise<number> => new Promise((resolve) => first.server.getConnections((_, n) => resolve(n)))
  await until(async () => (await open()) <= 1, 'what was not read is not kept')
  const single = await openTo(t, [first], { retry: retry(['503']) })
  t.equal((await rawRequest(single, get)).status, 503)
  t.same(await retried(single), {}, 'the only target gets no second request')
})

t.test('F26 retries are paid from a budget that requests fill', async (t) => {
  let nowMs = 0
  const retries = createRetries({ attempts: 1, when: ['connect'], budgetPercent: 20 }, () => nowMs)
  const take = (tries: number) => Array.from({ length: tries }, () => retries?.take('connect')).filter(Boolean).length
  t.equal(retries?.take('reset'), false, 'not a reason that was named')
  t.equal(take(100), 10, 'a few without any requests')
  for (let i = 0; i < 50; i++) retries?.fill()
  t.equal(take(100), 10, 'one for each five requests')
  nowMs += 3_000
  t.equal(take(100), 3, 'and one a second')
  nowMs += 3_600_000
  t.equal(take(100), 10, 'time saves up no more than it began with')
  for (let i = 0; i < 100_000; i++) retries?.fill()
  t.ok(take(1000) <= 101, 'nor do requests, endlessly')
  t.equal(createRetries({ attempts: 0, when: ['connect'], budgetPercent: 20 }), undefined)
})

t.test(
  'F26 a target that fails in a row is left out for a while, never more than the cap, and comes back by time',
  async (t) => {
    let sick = true
    const handle = (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
      void response.writeHead(sick ? 503 : 200).end()
    const first = await recordingUpstream(t, handle)
    const [second, third] = [await recordingUpstream(t), await recordingUpstream(t)]
    const ask = async (gate: GateApp, count: number) => {
      const statuses: number[] = []
      for (let i = 0; i < count; i++) statuses.push((await rawRequest(gate, get)).status)
      return statuses
    }
    // What was seen after it may have come back says nothing: then all is done once more, with more time.
    for (const forMs of [eject.forMs, 3_000, 12_000]) {
      sick = true
      first.requests.length = 0
      const gate = await openTo(t, [first, second, third], { eject: { ...eject, forMs } })
      const began = performance.now()
      await ask(gate, 6)
      const [met, states, left] = [first.requests.length, await up(gate), await ask(gate, 6)]
      if (performance.now() - began >= forMs) continue
      t.equal(met, 2)
      t.same(states, [0, 1, 1])
      t.same(left, [200, 200, 200, 200, 200, 200], 'nobody meets it')
      await until(async () => (await up(gate))[0] === 1, 'back')
      const back = performance.now()
      const statuses = await ask(gate, 6)
      if (performance.now() - back >= forMs) continue
      t.equal(statuses.filter((status) => status === 503).length, 1, 'one failure is enough to leave it out again')
      sick = false
      await until(async () => (await up(gate))[0] === 1, 'back again')
      t.same(new Set(await ask(gate, 12)), new Set([200]))
      t.same(await up(gate), [1, 1, 1])
      const said = changesSaid(gate)
      t.match(said[0], { level: 40, upstream: 'things', target: /^http:/, reason: 'failures', msg: 'a target is down' })
      const down = 'a target is down'
      t.same(
        said.map(({ msg }) => msg),
        [down, 'a target is up again', down, 'a target is up again'],
        'each change once, in the log',
      )
      t.ok(said[1]?.awayMs >= forMs * 0.9)
      return
    }
    t.fail('no time was enough')
  },
)

t.test(
  'F26 when nothing answers, the service is down: refused at once, tried once a second, and back with one answer',
  async (t) => {
    const proxy = await startFaultProxy(t, (await recordingUpstream(t)).port)
    await proxy.set({ refuse: 'down' })
    const endpoint = { kind: 'url', origin: `http://127.0.0.1:${proxy.port}`, basePath: '' } as const
    for (const targets of [[{ target: endpoint }], [{ target: endpoint }, await goneTarget()]]) {
      await proxy.set({ refuse: 'down' })
      const gate = await openTo(t, targets, { eject: { ...eject, forMs: 60_000 } })
      const statuses: number[] = []
      const began = performance.now()
      while (statuses.at(-1) !== 503) statuses.push((await rawRequest(gate, get)).status)
      t.ok(statuses.length <= 2 * eject.failures + 1 + secondsSince(began), `after ${statuses}`)
      let refused = await rawRequest(gate, post)
      // Who comes a second after the last try is the next one.
      for (let again = 0; again < 3 && refused.status === 502; again += 1) refused = await rawRequest(gate, post)
      t.same([refused.status, refused.headers.get('retry-after')], [503, ['1']])
      t.equal(JSON.parse(refused.body).error.code, 'ServiceUnavailable')
      t.notMatch(JSON.stringify([...refused.headers, refused.body]), /127\.0\.0\.1|ECONN/)
      t.ok(await eventually(() => gate.logged.some((line) => line.includes('"reason":"upstream_down"')), 'its reason'))
      t.ok((await up(gate)).every((value) => value === 0))
      const things = gate.deps.gate.upstreams().get('things') as Upstream
      t.match(explainUpstream(things, Date.now()), {
        trouble: { cause: String },
        state: 'down',
        targets: targets.length,
        targetsUp: 0,
      })
      const tried = gate.logged.filter((line) => line.includes('upstream failed')).length
      const refusingSince = performance.now()
      for (let i = 0; i < 50; i++) await rawRequest(gate, get)
      t.ok(
        gate.logged.filter((line) => line.includes('upstream failed')).length <=
          tried + 2 + secondsSince(refusingSince),
        'hardly anything is tried',
      )
      await proxy.heal()
      await until(async () => (await rawRequest(gate, get)).status === 200, 'an answer')
      const after = []
      for (let i = 0; i < 10; i++) after.push((await rawRequest(gate, get)).status)
      t.ok(after.filter((status) => status === 200).length >= 8, `and it goes on: ${after}`)
    }
  },
)

t.test('F26 time-outs count as failures, what a client ends does not', async (t) => {
  const silent = await scriptedUpstream(t, () => undefined)
  const short = '/api/v2/short'
  const gate = await openGate(t, {
    routes: [...routes, { path: short, methods: { GET: 'public' }, headersMs: 200 }],
    upstreams: { things: { target: silent.target, eject: { ...eject, forMs: 60_000 }, headersMs: 60_000 } },
  })
  const late = get.replace('/api/v2/things', short)
  for (let i = 0; i < 4; i++) {
    const { port } = gate
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
    socket.write(get)
    await eventually(() => silent.count() > i)
    socket.destroy()
  }
  t.same(await up(gate), [1])
  t.same([(await rawRequest(gate, late)).status, (await rawRequest(gate, late)).status], [504, 504])
  const after = [(await rawRequest(gate, late)).status]
  // Who comes a second after the last try is the next one.
  for (let again = 0; again < 3 && after.at(-1) === 504; again += 1) after.push((await rawRequest(gate, late)).status)
  t.equal(after.at(-1), 503)
})

t.test('F26 one upstream has no more requests under way than maxInFlight; another one notices nothing', async (t) => {
  const hanging = await scriptedUpstream(t, () => undefined)
  const healthy = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [...routes, { path: '/api/v2/other', upstream: 'other', methods: { GET: 'public' } }],
    upstreams: { things: { target: hanging.target, maxInFlight: 3 }, other: { target: healthy.target } },
  })
  const waiting = Array.from({ length: 3 }, () => rawRequest(gate, get).catch(() => undefined))
  await eventually(() => hanging.count() === 3)
  t.equal((await rawRequest(gate, get)).status, 503)
  t.equal((await rawRequest(gate, get.replace('things', 'other'))).status, 200)
  for (const socket of hanging.sockets) socket.destroy()
  await Promise.all(waiting)
})

/** What the log says of targets that change. */
function changesSaid(gate: GateApp) {
  return gate.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('a target is'))
}

t.test('a reload keeps connections of what stays the same, and what is known of targets that stay', async (t) => {
  const sick = await recordingUpstream(t, (_request, response) => response.writeHead(503).end())
  const well = await recordingUpstream(t)
  const gate = await openTo(t, [sick, well], { eject: { ...eject, forMs: 60_000 } })
  for (let i = 0; i < 8; i++) await rawRequest(gate, get)
  t.same(await up(gate), [0, 1])
  const { settings, gate: table } = gate.deps
  const things = settings.upstreams.get('things') as UpstreamSettings
  const replace = (changed: UpstreamSettings) =>
    atOnce(table.replace({ ...settings, upstreams: new Map([['things', changed]]) }))
  const before = table.upstreams().get('things')
  replace({ ...things, position: { ...things.position, line: 99 } })
  t.equal(table.upstreams().get('things'), before, 'another line is no other service')
  t.equal(before?.settings.position.line, 99)
  replace({ ...things, headersMs: 4_000 })
  t.not(table.upstreams().get('things'), before)
  t.same(await up(gate), [0, 1], 'the sick one is still left out')
  t.equal(changesSaid(gate).length, 1, 'which is said already')
  const requestsBefore = sick.requests.length
  for (let i = 0; i < 8; i++) t.equal((await rawRequest(gate, get)).status, 200)
  t.equal(sick.requests.length, requestsBefore)
  const key = (text: string) => ({ ...things, tls: { ...things.tls, key: secretValue(text) } })
  replace(key('one'))
  const withKey = table.upstreams().get('things')
  replace(key('one'))
  t.equal(table.upstreams().get('things'), withKey, 'the same key')
  replace(key('two'))
  t.not(table.upstreams().get('things'), withKey, 'another key, which no JSON shows')
  replace({ ...things, targets: things.targets.slice(1) })
  t.same(await up(gate), [1], 'the series of a target that is gone is gone')
})

t.test(
  'F34 a name that leads elsewhere is followed, kept connections too; one that cannot be resolved keeps its last answer',
  async (t) => {
    const named = async (host: string) => {
      const server = createServer((_request, response) => response.end(host))
      await new Promise<void>((resolve) => server.listen(port, host, resolve))
      port = (server.address() as { port: number }).port
      t.teardown(() => server.close())
      return server
    }
    let port = 0
    await named('127.0.0.1')
    await named('127.0.0.2')
    let answer: string[] | undefined = ['127.0.0.1']
    let lookups = 0
    const resolve: ResolveName = (_host, found) => {
      lookups += 1
      if (answer === undefined) found(Object.assign(new Error('gone'), { code: 'ENOTFOUND' }), [])
      else
        found(
          null,
          answer.map((address) => ({ address, family: 4 })),
        )
    }
    const endpoint = { kind: 'url', origin: `http://service.test:${port}`, basePath: '', weight: 1 } as const
    const whoIs = async (target: Target) => (await askTarget(target.requests)).body
    const settings = upstreamSettings('things', { targets: [endpoint], resolveEveryMs: 50 })
    const rare = { ...settings, resolveEveryMs: 60_000 }
    const calm = createTarget(endpoint, { settings: rare, builtinTargets: new Map(), resolve })
    t.teardown(() => calm.close())
    t.equal(lookups, 0, 'no look-up before the first connection')
    const three = await Promise.all([whoIs(calm), whoIs(calm), whoIs(calm)])
    t.same(three, ['127.0.0.1', '127.0.0.1', '127.0.0.1'])
    t.equal(lookups, 1, 'once for all connections')
    const target = createTarget(endpoint, { settings, builtinTargets: new Map(), resolve })
    t.teardown(() => target.close())
    const who = () => whoIs(target)
    t.equal(await who(), '127.0.0.1')
    const before = target.requests
    answer = ['127.0.0.1', '127.0.0.2']
    const more = lookups
    await eventually(() => lookups >= more + 3)
    t.equal(target.requests, before, 'an address more disturbs nobody')
    answer = ['127.0.0.2']
    await until(async () => (await who()) === '127.0.0.2', 'the new address')
    t.not(target.requests, before)
    answer = undefined
    const then = lookups
    await eventually(() => lookups >= then + 3)
    t.equal((await askTarget(target.fresh())).body, '127.0.0.2', 'nobody answers')
    const slow = createTarget(endpoint, { settings, builtinTargets: new Map(), resolve: () => undefined })
    t.teardown(() => slow.close())
    await t.rejects(askTarget(slow.requests), { code: 'UND_ERR_CONNECT_TIMEOUT' })
    const lost = createTarget(endpoint, { settings, builtinTargets: new Map(), resolve })
    t.teardown(() => lost.close())
    await t.rejects(askTarget(lost.requests), { code: 'ENOTFOUND' })
    answer = ['127.0.0.1']
    t.equal(await whoIs(lost), '127.0.0.1', 'looked up again at once')
  },
)

t.test('gateway L9: a name that gives some of its addresses each time keeps its connections', async (t) => {
  const all = Array.from({ length: 8 }, (_, i) => ({ address: `10.0.0.${i}`, family: 4 }))
  let lookups = 0
  let moved = false
  const resolve: ResolveName = (_host, found) => {
    lookups += 1
    if (moved) return found(null, [{ address: '10.0.1.1', family: 4 }])
    found(null, [all[lookups % 8], all[(lookups * 3) % 8]] as typeof all)
  }
  let gone = 0
  const onGone = () => {
    gone += 1
  }
  const addresses = watchAddresses('service.test', { everyMs: 5, onGone, resolve })
  t.teardown(() => addresses?.stop())
  const alive = setTimeout(() => undefined, 60_000)
  t.teardown(() => clearTimeout(alive))
  await new Promise((done) => addresses?.lookup('service.test', { all: true }, done))
  await eventually(() => lookups > 40, 'many answers')
  t.equal(gone, 0)
  moved = true
  await eventually(() => gone > 0, 'a name that leads elsewhere is followed')
})

t.test('F34 a look-up that never ends does not keep the next one from being made', async (t) => {
  let lookups = 0
  const resolve: ResolveName = (_host, found) => {
    lookups += 1
    if (lookups > 1) found(null, [{ address: '::1', family: 6 }])
  }
  const addresses = watchAddresses('service.test', { everyMs: 60_000, onGone() {}, patienceMs: 50, resolve })
  // The product's timers keep no process alive.
  const alive = setTimeout(() => undefined, 60_000)
  t.teardown(() => clearTimeout(alive))
  t.teardown(() => addresses?.stop())
  const look = (all: boolean): Promise<unknown[]> =>
    new Promise((done) => addresses?.lookup('service.test', { all }, (...found: unknown[]) => done(found)))
  t.match(await look(true), [{ code: 'ENOTFOUND' }])
  t.same(await look(true), [null, [{ address: '::1', family: 6 }]])
  t.same(await look(false), [null, '::1', 6])
  t.equal(lookups, 2)
  t.equal(watchAddresses('[::1]', { everyMs: 1, onGone() {} }), undefined, 'an address is none to look up')
})
