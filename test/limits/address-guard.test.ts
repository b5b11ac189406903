// The outer guard on real routes: exact counts, one budget over scopes, our refusals, our headers.

import Fastify, { type FastifyInstance } from 'fastify'
import { parseList } from 'structured-headers'
import t from 'tap'
import { addressGroup } from '../../src/limits/address-group.js'
import { type AddressRefusal, registerAddressGuard } from '../../src/limits/address-guard.js'
import type { Counters } from '../../src/storage/counters/counters.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'

class Refused extends Error {
  readonly refusal: AddressRefusal
  constructor(refusal: AddressRefusal) {
    super('too many requests')
    this.refusal = refusal
  }
}

async function build(options: { limit?: number; periodMs?: number; counters?: Counters } = {}) {
  const { limit = 10, periodMs = 1000, counters = createInProcessCounters() } = options
  const clock = { ms: 5_000_000 }
  const refused: string[] = []
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Refused)) return reply.code(500).send('unexpected')
    for (const [name, value] of error.refusal.headers) reply.header(name, value)
    return reply.code(429).send('ours')
  })
  const guarded = async (scope: FastifyInstance, path: string) => {
    await registerAddressGuard(scope, {
      counters,
      guard: { limit, periodMs },
      monotonic: () => clock.ms,
      addressOf: (request) => String(request.headers['x-test-address'] ?? '192.0.2.1'),
      refuse: (_request, refusal) => new Refused(refusal),
      onRefused: () => refused.push(path),
    })
    scope.get(path, async () => 'ok')
    scope.setNotFoundHandler({ preHandler: scope.rateLimit() }, (_request, reply) => reply.code(404).send('none'))
  }
  await app.register((scope) => guarded(scope, '/a'), { prefix: '/one' })
  await app.register((scope) => guarded(scope, '/b'), { prefix: '/two' })
  const send = async (url = '/one/a', address?: string) =>
    await app.inject({ url, ...(address === undefined ? {} : { headers: { 'x-test-address': address } }) })
  const passed = async (requests: number, url?: string, address?: string) => {
    const answers = await Promise.all(Array.from({ length: requests }, () => send(url, address)))
    return answers.filter(({ statusCode }) => statusCode === 200).length
  }
  return { app, clock, refused, send, passed }
}

t.test('parallel requests of one address get exactly the limit', async (t) => {
  const { app, passed, refused } = await build()
  t.teardown(() => app.close())
  t.equal(await passed(200), 10)
  t.equal(refused.length, 190)
})

t.test("Q1 a limit of ten is never nineteen at a window's edge", async (t) => {
  const { app, clock, passed } = await build()
  t.teardown(() => app.close())
  clock.ms = 5_000_990
  const before = await passed(9)
  clock.ms = 5_001_010
  t.equal(before + (await passed(10)), 10)
})

t.test('Q5 an address has one budget over all scopes, and unmatched paths are in it', async (t) => {
  const { app, passed, send } = await build()
  t.teardown(() => app.close())
  t.equal((await send('/one/nothing')).statusCode, 404)
  t.equal(await passed(5, '/one/a'), 5)
  t.equal(await passed(10, '/two/b'), 4)
  t.equal((await send('/one/nothing')).statusCode, 429)
  t.equal(await passed(1, '/two/b', '192.0.2.2'), 1, 'another address has its own')
})

t.test('Q6 sprayed addresses do not give a flooded one a fresh budget', async (t) => {
  const { app, passed } = await build({ counters: createInProcessCounters({ maxEntries: 20 }) })
  t.teardown(() => app.close())
  t.equal(await passed(12), 10)
  for (let i = 0; i < 200; i += 1) await passed(1, '/one/a', `198.51.100.${i}`)
  t.equal(await passed(5), 0)
})

t.test('Q10 addresses of one IPv6 /64 are one address', async (t) => {
  const { app, passed } = await build()
  t.teardown(() => app.close())
  t.equal(await passed(7, '/one/a', '2001:db8::1'), 7)
  t.equal(await passed(7, '/one/a', '2001:db8::2'), 3)
})

t.test('Q8 a refusal carries the fields of the current draft and none of 2021 (RFC 9651)', async (t) => {
  const { app, passed, send } = await build({ periodMs: 60_000 })
  t.teardown(() => app.close())
  const allowed = await send()
  t.notOk(
    Object.keys(allowed.headers).some((name) => /ratelimit|retry-after/.test(name)),
    'nothing while allowed',
  )
  await passed(10)
  const { statusCode, body, headers } = await send()
  t.equal(statusCode, 429)
  t.equal(body, 'ours', "the room's own error handler wrote it")
  const [[policy, parameters] = ['', new Map()]] = parseList(String(headers['ratelimit-policy']))
  t.equal(policy, 'address-guard')
  t.same([parameters.get('q'), parameters.get('w')], [10, 60])
  const [[, left] = ['', new Map()]] = parseList(String(headers['ratelimit']))
  t.equal(left.get('r'), 0)
  t.equal(String(left.get('t')), headers['retry-after'])
  t.notOk(Object.keys(headers).some((name) => /^x-ratelimit|^ratelimit-(limit|remaining|reset)$/.test(name)))
})

t.test('Q7 a caller that waits as long as Retry-After says is let in, and is never banned', async (t) => {
  const { app, clock, passed, send } = await build()
  t.teardown(() => app.close())
  await passed(500)
  clock.ms += Number((await send()).headers['retry-after']) * 1000
  t.equal((await send()).statusCode, 200)
})

t.test('Q3 counters that answer later are waited for, and counters that fail refuse', async (t) => {
  const inner = createInProcessCounters()
  const later = await build({
    limit: 1,
    counters: { ...inner, take: async (buckets, nowMs) => inner.take(buckets, nowMs) },
  })
  t.teardown(() => later.app.close())
  t.equal(await later.passed(3), 1)
  const failing = await build({ counters: { ...inner, take: async () => Promise.reject(new Error('gone')) } })
  t.teardown(() => failing.app.close())
  t.equal((await failing.send()).statusCode, 500)
  const silent = await build({ counters: { ...inner, take: () => [] } })
  t.teardown(() => silent.app.close())
  t.equal((await silent.send()).statusCode, 500)
})

t.test('the group of an address', async (t) => {
  const cases: [string, string, string][] = [
    ['192.0.2.1', '192.0.2.1', 'an IPv4 address is itself'],
    ['::ffff:192.0.2.1', '192.0.2.1', 'IPv4-mapped, dotted'],
    ['::FFFF:c000:201', '192.0.2.1', 'IPv4-mapped, hexadecimal'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1', 'IPv4-mapped, long'],
    ['2001:DB8:0:0:1:2:3:4', '2001:db8::', 'the /64 in one spelling'],
    ['2001:db8::', '2001:db8::', 'the /64 itself'],
    ['fe80::1%eth0', 'fe80::', 'without its zone'],
    ['::1', '::', 'loopback'],
    ['not-an-address', 'not-an-address', 'anything else is itself'],
    ['NOT:AN:ADDRESS', 'not:an:address', 'with colons too'],
  ]
  for (const [address, group, title] of cases) t.equal(addressGroup(address), group, title)
  for (let i = 0; i < 5000; i += 1) addressGroup(`2001:db8:${i.toString(16)}::1`)
  t.equal(addressGroup('2001:db8:7::99'), '2001:db8:7::', 'after more than it remembers')
})
