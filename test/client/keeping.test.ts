// How the client library keeps tokens: one request for all, early renewal, failures, giving up, clocks. No network and
// no real time; a model says what has to come out of a thousand random histories.

import fc from 'fast-check'
import t from 'tap'
import { OAuthRefusal } from '../../src/client/index.js'
import {
  codeOf,
  failure,
  fakeClient,
  issuer,
  metadata,
  refused,
  settled,
  tokenAnswer,
  tokens,
} from '../support/providers/fake-issuer.js'

t.test('1,000 callers at once make one token request and one for the metadata', async (t) => {
  const { client, sent, metadataRequests } = fakeClient()
  const got = await Promise.all(Array.from({ length: 1000 }, () => client.application({ scope: 'a b' }).token()))
  t.equal(new Set(got.map(({ accessToken }) => accessToken)).size, 1)
  t.equal(sent.length, 1)
  t.equal(metadataRequests(), 1)
  t.same(Object.fromEntries(sent[0]?.form ?? []), {
    ...{ grant_type: 'client_credentials', scope: 'a b', client_id: 'app', client_secret: 'secret' },
  })
  await client.application({ scope: ['b', 'a', 'b'] }).token()
  t.equal(sent.length, 1, 'the same set in another order is the same request')
})

t.test('whatever makes another token is another token: scope, resource, tenant', async (t) => {
  const { client, sent } = fakeClient()
  const requests = [{}, { scope: 'a' }, { scope: 'a', resource: 'https://api.example' }, { scope: 'a', tenant: 'T1' }]
  const got = await Promise.all(requests.map((request) => client.application(request).token()))
  t.equal(new Set(got.map(({ accessToken }) => accessToken)).size, requests.length)
  t.same(
    sent.map(({ form }) => [form.get('scope'), form.get('resource'), form.get('requested_enrollment')]),
    [
      ['default', null, null],
      ['a', null, null],
      ['a', 'https://api.example', null],
      ['a', null, 'T1'],
    ],
  )
})

t.test(
  'a caller that gives up ends its own wait; when all did, the request ends, and the next one is new',
  async (t) => {
    const { client, sent } = fakeClient((_request, count) =>
      count === 1 ? new Promise(() => {}) : { json: tokenAnswer(`token-${count}`) },
    )
    const source = client.application()
    const [first, second] = [new AbortController(), new AbortController()]
    const waits = [first, second].map(({ signal }) => failure(source.token({ signal })))
    await settled()
    first.abort(new Error('the first had enough'))
    t.equal(await waits[0], 'Error: the first had enough')
    t.equal(sent[0]?.signal.aborted, false, 'somebody still waits')
    second.abort(new Error('so had the second'))
    t.equal(await waits[1], 'Error: so had the second')
    t.equal(sent[0]?.signal.aborted, true, 'nobody does')
    t.equal((await source.token()).accessToken, 'token-2', 'and giving up is no failure to wait for')
    t.equal(await failure(source.token({ signal: AbortSignal.abort(new Error('before')) })), 'Error: before')
  },
)

t.test('near its end the token is served while the next one is fetched; a failure then is nobody’s', async (t) => {
  let failing = true
  const { client, clock, sent } = fakeClient((_request, count) =>
    count > 1 && failing ? refused('temporarily_unavailable', 503) : { json: tokenAnswer(`token-${count}`) },
  )
  const source = client.application()
  const get = async () => (await source.token()).accessToken
  t.equal(await get(), 'token-1')
  await clock.pass(3_300_000)
  t.equal(await get(), 'token-1')
  t.equal(sent.length, 1, '5 minutes before the end it is early for this client')
  await clock.pass(80_000)
  t.equal(await get(), 'token-1', 'the old one is served')
  await settled()
  t.equal(sent.length, 2, 'and the next one requested')
  t.equal(await get(), 'token-1')
  t.equal(sent.length, 2, 'not again at once')
  failing = false
  await clock.pass(1000)
  t.equal(await get(), 'token-1')
  await settled()
  t.equal(await get(), 'token-3', 'the one that came is served from then on')
})

t.test('clients that start together do not come back together', async (t) => {
  const moments = await Promise.all(
    [0, 0.25, 0.5, 0.75, 0.999].map(async (random) => {
      const { client, clock, sent } = fakeClient(tokens(), { random: () => random })
      for (let second = 0; sent.length < 2; second += 10) {
        await client.application().token()
        await settled()
        if (sent.length > 1) return second
        await clock.pass(10_000)
      }
      return 0
    }),
  )
  t.equal(new Set(moments).size, 5, `they came back after ${moments.join(', ')} s`)
  t.ok(Math.min(...moments) >= 3300 && Math.max(...moments) <= 3460)
})

t.test('a failure is not an answer for later, and yet a failing endpoint is left alone for a moment', async (t) => {
  let working = false
  const { client, clock, sent } = fakeClient((_request, count) =>
    working ? { json: tokenAnswer(`token-${count}`) } : refused('server_error', 500),
  )
  const source = client.application()
  const many = await Promise.all(Array.from({ length: 100 }, () => failure(source.token())))
  t.same(new Set(many), new Set(['refused']))
  t.equal(sent.length, 1, 'one request for all of them')
  t.equal(await failure(source.token()), 'refused')
  t.equal(sent.length, 1, 'and none for who comes at once')
  for (const ms of [250, 500, 1000, 2000]) {
    await clock.pass(ms)
    await failure(source.token())
  }
  t.equal(sent.length, 5, 'each pause is twice the one before')
  await clock.pass(2000)
  await failure(source.token())
  t.equal(sent.length, 5)
  working = true
  await clock.pass(2000)
  t.equal((await source.token()).accessToken, 'token-6', 'and then it is as if nothing had been')
})

t.test('Retry-After is honoured, in seconds and as a date', async (t) => {
  for (const said of ['60', new Date(Date.UTC(2026, 10, 21) + 60_000).toUTCString()]) {
    const { client, clock, sent } = fakeClient(() =>
      refused('temporarily_unavailable', 429, {}, { 'retry-after': said }),
    )
    const source = client.application()
    const error = await source.token().catch((thrown: unknown) => thrown)
    t.match(error, { code: 'try_later', retryAfterSeconds: 60 })
    await clock.pass(59_000)
    t.equal(await failure(source.token()), 'try_later')
    t.equal(sent.length, 1)
    await clock.pass(2000)
    await failure(source.token())
    t.equal(sent.length, 2)
  }
})

t.test(
  'clocks: one that is set back does not lengthen a token’s life, one that stood still does not either',
  async (t) => {
    const { client, clock, sent } = fakeClient()
    const source = client.application()
    await source.token()
    clock.set(0)
    await clock.pass(3_599_000)
    t.equal((await source.token()).accessToken, 'token-2', 'the monotonic clock counts')
    clock.set(clock.wallMs() + 7_200_000)
    t.equal((await source.token()).accessToken, 'token-3', 'and after a sleep the other one')
    t.equal(sent.length, 3)
  },
)

t.test('a rejected token is replaced once for all who hold it, and not again at once', async (t) => {
  const { client, clock, sent } = fakeClient()
  const source = client.application()
  const { accessToken } = await source.token()
  const rejected = Array.from({ length: 100 }, () => source.reject(accessToken))
  t.equal(rejected.every(Boolean), true)
  const got = await Promise.all(rejected.map(() => source.token()))
  t.same(new Set(got.map((token) => token.accessToken)), new Set(['token-2']))
  t.equal(source.reject('token-2'), false, 'it was new a moment ago: something else is wrong')
  t.equal((await source.token()).accessToken, 'token-2')
  await clock.pass(1000)
  t.equal(source.reject('token-2'), true)
  t.equal((await source.token()).accessToken, 'token-3')
  t.equal(sent.length, 3)
})

t.test(
  'the issuer’s metadata: exactly the configured issuer (RFC 8414 §3.3), https, kept through a failure',
  async (t) => {
    const wrong: [string, object, string][] = [
      ['another issuer', metadata({ issuer: 'https://id.example/' }), 'issuer_mismatch'],
      ['no issuer', metadata({ issuer: undefined }), 'issuer_mismatch'],
      ['a token endpoint without TLS', metadata({ token_endpoint: 'http://id.example/token' }), 'malformed_answer'],
      ['no token endpoint', metadata({ token_endpoint: undefined }), 'malformed_answer'],
    ]
    for (const [title, json, code] of wrong) {
      const { client, sent } = fakeClient(tokens(), { metadata: () => ({ json }) })
      t.equal(await failure(client.application().token()), code, title)
      t.equal(sent.length, 0, 'nothing was sent to anybody')
    }
    for (const bad of ['http://id.example', 'https://id.example?x=1', 'id.example']) {
      t.throws(() => fakeClient(tokens(), { issuer: bad }), { code: 'wrong_use' }, bad)
    }
    let answers = true
    const { client, clock, metadataRequests } = fakeClient(tokens({ expires_in: 60 }), {
      metadata: () => (answers ? { json: metadata() } : new TypeError('fetch failed')),
    })
    await client.application().token()
    answers = false
    await clock.pass(2 * 3_600_000)
    t.equal((await client.application().token()).accessToken, 'token-2', 'what was known is still used')
    t.equal(metadataRequests(), 2)
    await clock.pass(24 * 3_600_000)
    t.equal(await failure(client.application().token()), 'unreachable', 'but not for ever')
    t.equal((await fakeClient().client.metadata()).issuer, issuer)
  },
)

t.test(
  'answers that are none are errors, and a network that fails is distinguished from a server that refuses',
  async (t) => {
    const answers: [string, object | Error, string][] = [
      ['no token', { json: tokenAnswer('') }, 'malformed_answer'],
      ['a token of another type', { json: tokenAnswer('x', { token_type: 'DPoP' }) }, 'malformed_answer'],
      ['no lifetime', { json: tokenAnswer('x', { expires_in: undefined }) }, 'malformed_answer'],
      ['a lifetime as text', { json: tokenAnswer('x', { expires_in: '3600' }) }, 'malformed_answer'],
      ['HTML', { status: 502, text: '<h1>Bad gateway</h1>' }, 'malformed_answer'],
      ['no network', new TypeError('fetch failed'), 'unreachable'],
      ['a refusal', refused('invalid_client', 401), 'refused'],
      ['a proxy that is overloaded', { status: 503, text: 'later' }, 'try_later'],
    ]
    for (const [title, answer, code] of answers) {
      t.equal(
        await failure(
          fakeClient(() => answer)
            .client.application()
            .token(),
        ),
        code,
        title,
      )
    }
    const { client, clock } = fakeClient(() => new Promise(() => {}))
    const waiting = failure(client.application().token())
    await clock.pass(30_000)
    t.equal(await waiting, 'timed_out')
    const consent = {
      suberror: 'admin_consent_required',
      consent_uri: 'https://id.example/consent',
      error_uri: 'https://e',
    }
    const said = refused('invalid_scope', 400, consent, { 'request-id': 'r-1' })
    const error = await fakeClient(() => said)
      .client.application()
      .token()
      .catch((thrown: unknown) => thrown)
    t.ok(error instanceof OAuthRefusal)
    t.match(error, {
      ...{ error: 'invalid_scope', message: 'It is invalid_scope.' },
      answer: { suberror: 'admin_consent_required', consentUri: 'https://id.example/consent', requestId: 'r-1' },
    })
  },
)

t.test('a thousand random histories agree with a model of them', async (t) => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 90_000 }) }),
    fc.record({ kind: fc.constant('get' as const), callers: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant('fail' as const), failing: fc.boolean() }),
    fc.record({ kind: fc.constant('reject' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.double({ min: 0, max: 0.999, noNaN: true }), history),
    { numRuns: 1000 },
  )
  t.pass('no token is served past its end, none is requested while one is good, no request is made within a pause')

  type Step =
    | { kind: 'pass'; ms: number }
    | { kind: 'get'; callers: number }
    | { kind: 'fail'; failing: boolean }
    | { kind: 'reject' }
  async function history(steps: readonly Step[], random: number): Promise<void> {
    const issuedAt = new Map<string, number>()
    const requestedAt: { at: number; failed: boolean }[] = []
    let failing = false
    const { client, clock } = fakeClient(
      (_request, count) => {
        requestedAt.push({ at: clock.monotonicMs(), failed: failing })
        if (failing) return refused('server_error', 500)
        issuedAt.set(`token-${count}`, clock.monotonicMs())
        return { json: tokenAnswer(`token-${count}`, { expires_in: 60 }) }
      },
      { random: () => random },
    )
    const source = client.application()
    let last = ''
    let rejected = ''
    for (const each of steps) {
      if (each.kind === 'pass') await clock.pass(each.ms)
      else if (each.kind === 'fail') failing = each.failing
      else if (each.kind === 'reject') {
        if (last !== '' && source.reject(last)) rejected = last
      } else {
        const before = requestedAt.length
        const got = await Promise.all(Array.from({ length: each.callers }, () => source.token().catch(codeOf)))
        await settled()
        if (requestedAt.length > before + 1) throw new Error('more than one request for one moment')
        const texts = new Set(got.map((one) => (typeof one === 'string' ? one : one.accessToken)))
        if (texts.size !== 1) throw new Error(`callers of one moment got ${[...texts]}`)
        const [text = ''] = texts
        const age = clock.monotonicMs() - (issuedAt.get(text) ?? Number.NaN)
        if (text === 'refused') continue
        if (!(age < 60_000)) throw new Error(`${text} was served at the age of ${age} ms`)
        if (text === rejected) throw new Error(`${text} was served although it was rejected`)
        last = text
      }
    }
    for (const [index, { at, failed }] of requestedAt.entries()) {
      const next = requestedAt[index + 1]
      if (next !== undefined && failed && next.at - at < 125)
        throw new Error('a failing endpoint got another request at once')
    }
  }
})
