// A limit that must not be decided without the shared numbers (onDown: refuse) is a 503 with Retry-After at every edge,
// in that edge's own family of errors; and the gate waits for another instance's key before it refuses.

import t from 'tap'
import { createAuthenticator } from '../../src/access/authenticate.js'
import { createRevalidation } from '../../src/access/revalidation.js'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import { createLimiter, type Limiter } from '../../src/limits/limiter.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { type Bucket, type Counters, CountersUnavailable } from '../../src/storage/counters/counters.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import type { Keyring } from '../../src/tokens/keys/keys.js'
import { baseUrl } from '../support/rooms/directory.js'
import { openGate, recordingUpstream, viaProxy } from '../support/rooms/http-gate.js'
import { openIdentity, tokenPath } from '../support/rooms/identity.js'
import { rawRequest } from '../support/traffic/http-raw.js'

const policy: LimitPolicy = {
  name: 'strict',
  by: ['application'],
  algorithm: { kind: 'quota', limit: 5, periodMs: 60_000 },
  mode: 'strict',
  onDown: 'refuse',
}

/** Counters that are away: at once, or after a moment, as a round trip that fails. */
function away(how: 'throws' | 'rejects', takenBuckets: Bucket[] = []): Limiter {
  const take: Counters['take'] = (buckets) => {
    takenBuckets.push(...buckets)
    const error = new CountersUnavailable('the shared numbers are away')
    if (how === 'throws') throw error
    return Promise.reject(error)
  }
  const counters = { ...createInProcessCounters(), take }
  const monotonic = () => performance.now()
  return createLimiter({ counters, policies: new Map([['strict', policy]]), metrics: createMetrics(), monotonic })
}

for (const how of ['throws', 'rejects'] as const) {
  t.test(`F2 at the gate, when the Counters' answer ${how}: 503, Retry-After, nothing forwarded`, async (t) => {
    const upstream = await recordingUpstream(t)
    const takenBuckets: Bucket[] = []
    const gate = await openGate(t, {
      routes: [{ path: '/api/v2/me', methods: { GET: ['User.Read.All'] } }],
      upstreams: { things: { target: upstream.target } },
      limits: { strict: policy },
      replace: () => ({ limiter: away(how, takenBuckets) }),
    })
    const bearer = `Authorization: Bearer ${await gate.token()}\r\n`
    const answer = await rawRequest(gate, `GET /api/v2/me HTTP/1.1\r\n${viaProxy}${bearer}\r\n`)
    t.equal(answer.status, 503)
    t.same(answer.headers.get('retry-after'), ['1'])
    t.match(JSON.parse(answer.body), { error: { code: 'ServiceUnavailable' } })
    t.equal(upstream.requests.length, 0)
    t.match(takenBuckets, [{ mode: 'strict', onDown: 'refuse', cost: 1 }], 'the Counters learn how the limit is shared')
    t.equal(gate.logged.filter((line) => JSON.parse(line).level >= 50).length, 0, 'no error line for each request')
  })

  t.test(`F2 at the token endpoint, when the Counters' answer ${how}: temporarily_unavailable`, async (t) => {
    const testApp = await openIdentity(t, {
      limits: { strict: policy },
      replace: () => ({ limiter: away(how) }),
    })
    const { registration, secret } = await testApp.registerDemo()
    const form = {
      grant_type: 'client_credentials',
      scope: 'default',
      client_id: registration.applicationId,
      client_secret: secret,
    }
    const answer = await testApp.post(tokenPath, form)
    t.equal(answer.statusCode, 503)
    t.ok(Number(answer.headers['retry-after']) >= 1)
    t.match(answer.json(), { error: 'temporarily_unavailable' })
    t.notMatch(answer.body, /shared numbers/, 'nothing of what is behind it')
  })
}

t.test('F23 the gate looks before it refuses a key that another instance may have made', async (t) => {
  const upstream = await recordingUpstream(t)
  const state = { heard: false, away: true }
  const monotonic = () => performance.now()
  const gate = await openGate(t, {
    routes: [{ path: '/api/v2/me', methods: { GET: ['User.Read.All'] } }],
    upstreams: { things: { target: upstream.target } },
    replace: ({ keyring, view, now }) => {
      const catchUp = async () => {
        if (state.away) throw new Error('the Store is away')
        state.heard = true
      }
      const revalidation = createRevalidation({
        keyring: { knows: () => state.heard },
        feed: { seq: 0, catchUp },
        monotonic,
      })
      // An instance that does not know the key until it has looked.
      const deaf: Pick<Keyring, 'verificationKey' | 'generation'> = {
        generation: 0,
        verificationKey: (purpose, kid) => (state.heard ? keyring.verificationKey(purpose, kid) : undefined),
      }
      const options = { keyring: deaf, view, revalidation, issuer: baseUrl, leewaySeconds: 60, cacheEntries: 10, now }
      return { authenticator: createAuthenticator(options) }
    },
  })
  const bearer = `Authorization: Bearer ${await gate.token()}\r\n`
  const ask = () => rawRequest(gate, `GET /api/v2/me HTTP/1.1\r\n${viaProxy}${bearer}\r\n`)
  const unknown = await ask()
  t.equal(unknown.status, 503, 'when the look fails nobody knows, so it is no 401')
  t.same(unknown.headers.get('retry-after'), ['1'])
  state.away = false
  t.equal((await ask()).status, 200)
  t.equal(upstream.requests.length, 1)
})
