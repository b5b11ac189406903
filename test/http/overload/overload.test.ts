import Fastify from 'fastify'
import t from 'tap'
import { createHeldRefusals } from '../../../src/http/overload/held-refusals.js'
import type { LoopListener } from '../../../src/http/overload/loop-gauge.js'
import { createOverload } from '../../../src/http/overload/overload.js'
import { priorityOf } from '../../../src/http/overload/priorities.js'
import { createHttpServer } from '../../../src/http/server.js'
import { createMetrics } from '../../../src/observability/metrics.js'

function overloaded() {
  const lines: [string, object][] = []
  const metrics = createMetrics()
  let listener: LoopListener | undefined
  const arrivals: number[] = []
  const gauge = { arrived: (at: number) => void arrivals.push(at), lateBy: () => 0, stop: () => undefined }
  const overload = createOverload({
    longestTurnMs: 20,
    metrics,
    log: {
      warn: (facts: object) => lines.push(['warn', facts]),
      info: (facts: object) => lines.push(['info', facts]),
    } as never,
    random: () => 0,
    watchLoop(given) {
      listener = given
      return gauge
    },
  })
  // Ahead of every request of the test, so that none of them has waited for room.
  let at = performance.now() + 3_600_000
  const look = (ms: number, busyMs: number, arrived = 100) => {
    at += ms
    listener?.look({ at, ms, busyMs, cpuMs: busyMs, arrived, crowdedMs: ms - 10 })
  }
  const overrun = () => {
    for (let i = 0; i < 6; i += 1) look(60, 60)
  }
  const rest = () => {
    for (let i = 0; i < 130; i += 1) look(10, 2, 0)
  }
  return { overload, metrics, lines, arrivals, overrun, rest, look }
}

/** Those who are refused wait until the loop has been looked at. */
async function whileLooking<T>(look: () => void, waiting: PromiseLike<T>[]): Promise<T[]> {
  let isOver = false
  const all = Promise.all(waiting).finally(() => {
    isOver = true
  })
  while (!isOver) {
    look()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return all
}

const limits = {
  urlBytes: 8_192,
  headerBytes: 16_384,
  headersTimeoutMs: 10_000,
  keepAliveMs: 1_000,
  requestsPerConnection: 100,
  headerCount: 100,
  bodyBytes: 1_000,
  bodyIdleMs: 1_000,
}

t.test('a refused request gets 503 with Retry-After, a stable code and reason, and is counted', async (t) => {
  const { overload, metrics, lines, arrivals, overrun, rest, look } = overloaded()
  const app = createHttpServer({
    baseUrl: 'https://gate.example',
    listener: 'local',
    limits,
    logger: false,
    accessLog: false,
    tls: undefined,
    overload,
    metrics,
  })
  t.teardown(() => app.close())
  app.get('/*', async () => 'called')
  app.post('/api/v2/oauth2/v2.0/revoke', (_request, reply) => reply.send())
  t.equal((await app.inject('/anything')).statusCode, 200)
  t.equal(arrivals.length, 1)
  overrun()
  t.ok(overload.isShedding)
  const requests = Array.from({ length: 10 }, () => app.inject('/anything'))
  const answers = await whileLooking(() => look(60, 60), requests)
  const refused = answers.filter(({ statusCode }) => statusCode === 503)
  t.equal(refused.length, 10)
  t.equal(refused[0]?.headers['retry-after'], '1')
  const { error } = refused[0]?.json() ?? {}
  t.match(error, { code: 'Overloaded', innerError: { 'request-id': refused[0]?.headers['request-id'] } })
  t.equal(refused[0]?.headers['cache-control'], 'no-store')
  t.ok(refused[0]?.headers['request-id'])
  const revoked = await app.inject({ method: 'POST', url: '/api/v2/oauth2/v2.0/revoke' })
  t.equal(revoked.statusCode, 200, 'what revokes is let in')
  const text = await metrics.registry.metrics()
  t.match(text, /^portcullis_shedding 1$/m)
  t.match(text, new RegExp(`^portcullis_shed_requests_total\\{priority="call"\\} ${refused.length}$`, 'm'))
  rest()
  t.notOk(overload.isShedding)
  t.match(await metrics.registry.metrics(), /^portcullis_shedding 0$/m)
  t.match(lines, [
    ['warn', { reason: 'overloaded' }],
    ['info', { refused: refused.length }],
  ])
  for (let round = 0; round < 5; round += 1) {
    overrun()
    rest()
  }
  t.equal(lines.length, 2, 'no line for each time that it begins within seconds')
})

t.test('few refusals are answered at once, many wait, and all are answered at the end', async (t) => {
  const held = createHeldRefusals()
  let answered = 0
  const refuse = (count: number, atMs: number) => {
    for (let i = 0; i < count; i += 1) held.refuse(() => void answered++, atMs)
  }
  refuse(2, 0)
  t.same([answered, held.size], [2, 0])
  refuse(100, 0)
  t.same([answered, held.size], [2, 100])
  held.turn(50, 0)
  t.equal(answered, 2, 'none before its time')
  held.turn(300, 0)
  t.equal(answered, 12, 'and a bounded number in a turn')
  held.turn(350, 10)
  t.equal(answered, 42, 'more while the loop has nothing to do')
  held.turn(6_000, 0)
  t.equal(answered, 102, 'but nobody waits for ever')
  refuse(250, 6_000)
  const turns = [12_000, 12_050, 12_100].map((atMs) => {
    held.turn(atMs, 0)
    return answered
  })
  t.same(turns, [204, 304, 352], 'nor do all leave at once who came at once')
  refuse(5, 12_100)
  held.release()
  t.same([answered, held.size], [357, 0])
})

t.test('the delay of the loop is a histogram', async (t) => {
  const { metrics, look } = overloaded()
  look(10.1, 1)
  look(40, 1)
  const text = await metrics.registry.metrics()
  t.match(text, /^portcullis_event_loop_delay_seconds_bucket\{le="0\.001"\} 1$/m)
  t.match(text, /^portcullis_event_loop_delay_seconds_bucket\{le="0\.05"\} 2$/m)
  t.match(text, /^portcullis_event_loop_delay_seconds_count 2$/m)
})

t.test('the urgency of a request follows from its route', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  for (const url of ['/*', '/sign-in', '/portal/applications/:id/secrets/:keyId/end', '/api/v2/oauth2/v2.0/token']) {
    app.all(url, async (request) => priorityOf(request))
  }
  app.all('/api/v2/sessions/:id', async (request) => priorityOf(request))
  app.all('/api/v2/revocations', async (request) => priorityOf(request))
  const of = async (method: 'GET' | 'POST' | 'DELETE', url: string) => (await app.inject({ method, url })).body
  t.same(
    await Promise.all([
      of('GET', '/api/v2/me'),
      of('DELETE', '/api/v2/me'),
      of('POST', '/sign-in'),
      of('POST', '/api/v2/oauth2/v2.0/token'),
      of('POST', '/api/v2/revocations'),
      of('GET', '/api/v2/revocations'),
      of('DELETE', '/api/v2/sessions/1'),
      of('GET', '/portal/applications/1/secrets/2/end'),
      of('POST', '/portal/applications/1/secrets/2/end'),
    ]),
    ['call', 'call', 'sign-in', 'token', 'revocation', 'sign-in', 'revocation', 'sign-in', 'revocation'],
  )
})
