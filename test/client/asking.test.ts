// How the client library asks: proofs of the client, a person's sign-in by code and by device, refresh tokens, and
// calls to an API with a token. No network and no real time.

import { verify } from 'node:crypto'
import t from 'tap'
import {
  ClientError,
  createFetch,
  createMemoryStore,
  type HeldTokens,
  InsufficientScope,
  InsufficientUserAuthentication,
  ResourceRefusal,
  type StartedAuthorization,
  type TokenStore,
} from '../../src/client/index.js'
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
import { newKeyPair } from '../support/tokens/key-pair.js'

const thrown = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const jwtPart = (jwt: string, at: number) => JSON.parse(Buffer.from(jwt.split('.')[at] ?? '', 'base64url').toString())

t.test('a secret in the body, or as Basic with both parts form-encoded (RFC 6749 §2.3.1), never both', async (t) => {
  const clientSecret = 'pcl sk:+%é'
  const basic = fakeClient(tokens(), {
    clientSecret: undefined,
    authentication: { method: 'client_secret_basic', clientSecret },
  })
  await basic.client.application().token()
  const [scheme, credentials = ''] = basic.sent[0]?.headers.get('authorization')?.split(' ') ?? []
  t.equal(scheme, 'Basic')
  t.equal(Buffer.from(credentials, 'base64').toString(), 'app:pcl+sk%3A%2B%25%C3%A9')
  t.equal(basic.sent[0]?.form.has('client_secret'), false)
  const none = fakeClient(tokens(), { clientSecret: undefined })
  await none.client.application().token()
  t.equal(none.sent[0]?.form.get('client_id'), 'app')
  t.equal(none.sent[0]?.headers.has('authorization'), false)
  t.throws(() => fakeClient(tokens(), { clientSecret: '' }), { code: 'wrong_use' })
})

t.test('private_key_jwt with a JWK or a CryptoKey of each kind (RFC 7523): a new assertion each time', async (t) => {
  const pairs = [
    ['ES256', await newKeyPair('ec', { namedCurve: 'P-256' })],
    ['RS256', await newKeyPair('rsa', { modulusLength: 2048 })],
    ['EdDSA', await newKeyPair('ed25519')],
  ] as const
  for (const [alg, { privateKey, publicKey }] of pairs) {
    const key = { ...privateKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }
    const authentication = { method: 'private_key_jwt' as const, key }
    const { client, sent } = fakeClient(tokens(), { clientSecret: undefined, authentication })
    await client.application({ scope: 'a' }).token()
    await client.application({ scope: 'b' }).token()
    const [first = '', second = ''] = sent.map(({ form }) => form.get('client_assertion') ?? '')
    t.same(jwtPart(first, 0), { alg, typ: 'JWT', kid: 'k1' })
    const claims = jwtPart(first, 1)
    t.match(claims, { iss: 'app', sub: 'app', aud: issuer })
    t.equal(claims.exp - claims.iat, 180)
    t.not(claims.jti, jwtPart(second, 1).jti)
    const [signed, signature = ''] = [first.split('.').slice(0, 2).join('.'), first.split('.')[2]]
    const how = alg === 'ES256' ? { key: publicKey, dsaEncoding: 'ieee-p1363' as const } : publicKey
    const hash = alg === 'EdDSA' ? null : 'sha256'
    t.equal(verify(hash, Buffer.from(signed), how, Buffer.from(signature, 'base64url')), true, alg)
  }
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { privateKey } = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  const signing = { method: 'private_key_jwt' as const, key: privateKey, keyId: 'k2' }
  const { client, sent } = fakeClient(tokens(), { clientSecret: undefined, authentication: signing })
  await client.application().token()
  t.equal(jwtPart(sent[0]?.form.get('client_assertion') ?? '', 0).kid, 'k2', 'a key that cannot be exported')
  const nameless = { method: 'private_key_jwt' as const, key: { kty: 'EC', crv: 'P-256' } }
  t.throws(() => fakeClient(tokens(), { clientSecret: undefined, authentication: nameless }), { code: 'wrong_use' })
  for (const key of [
    { kty: 'EC', crv: 'P-521', kid: 'x' },
    { kty: 'EC', crv: 'P-256', kid: 'x' },
    { kty: 'oct', kid: 'x' },
  ]) {
    const bad = fakeClient(tokens(), { clientSecret: undefined, authentication: { method: 'private_key_jwt', key } })
    t.equal(await failure(bad.client.application().token()), 'wrong_use', JSON.stringify(key))
    t.equal(bad.sent.length, 0)
  }
})

t.test('authorization code with PKCE S256, state, nonce and iss; a wrong answer is never redeemed', async (t) => {
  const redirectUri = 'https://page.example/back?kept=1'
  let nonce = ''
  const idToken = (more: object = {}) => {
    const claims = { iss: issuer, aud: 'app', sub: 'ada', exp: Date.UTC(2026, 10, 21) / 1000 + 60, nonce, ...more }
    return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
  }
  let wrong: object = {}
  const { client, sent } = fakeClient(() => ({
    json: tokenAnswer('t', { id_token: idToken(wrong), refresh_token: 'r' }),
  }))
  const begin = () =>
    client.beginAuthorization({
      redirectUri,
      scope: 'openid A.Read',
      tenant: 'T',
      loginHint: 'ada',
      maxAge: 0,
      acrValues: '2',
    })
  const back = (started: StartedAuthorization, fields: Record<string, string> = {}) => {
    const url = new URL(redirectUri)
    const all = { code: 'c', state: started.state, iss: issuer, ...fields }
    for (const [name, value] of Object.entries(all)) if (value !== '') url.searchParams.set(name, value)
    return url
  }
  const started = await begin()
  nonce = started.nonce ?? ''
  const url = new URL(started.url)
  t.match(Object.fromEntries(url.searchParams), {
    ...{
      response_type: 'code',
      client_id: 'app',
      redirect_uri: redirectUri,
      scope: 'openid A.Read',
      login_hint: 'ada',
    },
    ...{
      requested_enrollment: 'T',
      state: started.state,
      nonce,
      max_age: '0',
      acr_values: '2',
      code_challenge_method: 'S256',
    },
    code_challenge: /^[A-Za-z0-9_-]{43}$/,
  })
  t.equal(url.searchParams.has('client_secret'), false)
  const got = await client.finishAuthorization(JSON.parse(JSON.stringify(started)), back(started))
  t.match(got, { accessToken: 't', refreshToken: 'r', claims: { sub: 'ada' } })
  t.match(Object.fromEntries(sent[0]?.form ?? []), {
    ...{ grant_type: 'authorization_code', code: 'c', redirect_uri: redirectUri, code_verifier: started.codeVerifier },
  })

  const several = back(started)
  several.searchParams.append('code', 'c2')
  const answers: [string, string | URL, string][] = [
    ['another state', back(started, { state: 'x' }), 'not_this_request'],
    ['no state', back(started, { state: '' }), 'not_this_request'],
    ['another issuer (RFC 9207 §2.4)', back(started, { iss: 'https://evil.example' }), 'not_this_request'],
    ['no issuer, though it always names itself', back(started, { iss: '' }), 'not_this_request'],
    ['no code', back(started, { code: '' }), 'not_this_request'],
    ['two codes', several, 'not_this_request'],
    ['another path', back(started).href.replace('/back', '/other'), 'not_this_request'],
    ['another host', back(started).href.replace('page.', 'other.'), 'not_this_request'],
    ['a refusal', back(started, { code: '', error: 'access_denied' }), 'refused'],
    [
      'a refusal for another request',
      back(started, { code: '', error: 'access_denied', state: 'x' }),
      'not_this_request',
    ],
  ]
  for (const [title, callback, code] of answers) {
    t.equal(await failure(client.finishAuthorization(started, callback)), code, title)
  }
  t.equal(sent.length, 1, 'nothing was redeemed for any of them')
  for (const claim of [
    { nonce: 'x' },
    { nonce: undefined },
    { aud: 'other' },
    { iss: 'x' },
    { exp: 1 },
    { azp: 'other' },
  ]) {
    wrong = claim
    t.equal(
      await failure(client.finishAuthorization(started, back(started))),
      'id_token_invalid',
      JSON.stringify(claim),
    )
  }
  t.equal(
    (await client.beginAuthorization({ redirectUri, scope: 'A.Read' })).nonce,
    undefined,
    'no nonce without openid',
  )
  t.not((await begin()).codeVerifier, started.codeVerifier)
})

t.test('a device waits as long as the server says, and hears what became of its code (RFC 8628 §3.5)', async (t) => {
  const answers: ReturnType<typeof refused>[] = []
  const device = { device_code: 'd', user_code: 'ABCD', verification_uri: `${issuer}/d`, expires_in: 120, interval: 5 }
  const { client, clock, sent } = fakeClient(({ url }) =>
    url.pathname === '/device' ? { json: device } : (answers.shift() ?? { json: tokenAnswer('t') }),
  )
  const run = async (...said: typeof answers) => {
    answers.splice(0, answers.length, ...said)
    sent.splice(0)
    const started = await client.beginDevice({ scope: 'A.Read offline_access' })
    t.match(started, { userCode: 'ABCD', verificationUri: `${issuer}/d`, expiresInSeconds: 120 })
    let result: unknown
    void started.tokens().then(
      (got) => (result = got.accessToken),
      (error: unknown) => (result = codeOf(error)),
    )
    const moments: number[] = []
    for (let second = 1; second <= 200 && result === undefined; second += 1) {
      const before = sent.length
      await clock.pass(1000)
      if (sent.length > before) moments.push(second)
    }
    return { result, moments }
  }
  const pending = refused('authorization_pending')
  t.same(await run(pending, pending), { result: 't', moments: [5, 10, 15] })
  t.same(await run(refused('slow_down'), pending), { result: 't', moments: [5, 15, 25] })
  t.same(await run(new TypeError('fetch failed'), pending), { result: 't', moments: [5, 15, 25] })
  t.same(await run(refused('temporarily_unavailable', 429, {}, { 'retry-after': '20' })), {
    result: 't',
    moments: [5, 25],
  })
  t.same(await run(refused('access_denied')), { result: 'device_denied', moments: [5] })
  t.same(await run(refused('expired_token')), { result: 'device_expired', moments: [5] })
  t.same(await run(refused('invalid_client', 401)), { result: 'refused', moments: [5] })
  t.match(await run(...Array.from({ length: 40 }, () => pending)), { result: 'device_expired' })
  const giveUp = new AbortController()
  const waiting = failure((await client.beginDevice()).tokens({ signal: giveUp.signal }))
  giveUp.abort(new Error('enough'))
  t.equal(await waiting, 'Error: enough')
  const without = fakeClient(tokens(), {
    metadata: () => ({ json: metadata({ device_authorization_endpoint: undefined }) }),
  })
  t.equal(await failure(without.client.beginDevice()), 'malformed_answer')
})

t.test(
  'a refresh token is used once at a time, to the end, and its successor is kept before anybody gets a token',
  async (t) => {
    const written: string[] = []
    let release = () => {}
    const { client, clock, sent } = fakeClient(async (_request, count) => {
      await new Promise<void>((resolve) => (release = resolve))
      return { json: tokenAnswer(`t${count}`, { refresh_token: `r${count}` }) }
    })
    const store = storeOf(
      { accessToken: 't0', expiresAt: clock.wallMs() + 60_000, refreshToken: 'r0', scope: 'A' },
      written,
    )
    const source = client.person(store)
    t.equal((await source.token()).accessToken, 't0', 'what is held is used without a request')
    t.equal(sent.length, 0)
    await clock.pass(60_000)
    const giveUp = new AbortController()
    const [one, ...many] = [giveUp.signal, ...Array.from({ length: 999 }, () => undefined)].map((signal) =>
      source.token({ signal }),
    )
    await settled()
    giveUp.abort(new Error('enough'))
    t.equal(await failure(one as Promise<unknown>), 'Error: enough')
    release()
    t.same(new Set((await Promise.all(many)).map(({ accessToken }) => accessToken)), new Set(['t1']))
    t.same(
      sent.map(({ form }) => form.get('refresh_token')),
      ['r0'],
      'one request for a thousand',
    )
    t.same(written, ['r1'])

    await clock.pass(3_600_000)
    const controller = new AbortController()
    const gaveUp = failure(source.token({ signal: controller.signal }))
    await settled()
    controller.abort(new Error('enough'))
    t.equal(await gaveUp, 'Error: enough')
    t.equal(sent[1]?.signal.aborted, false, 'broken off, the successor would be lost')
    release()
    await settled()
    t.same(written, ['r1', 'r2'])
    t.equal((await source.token()).accessToken, 't2')
    t.equal(sent.length, 2)
  },
)

t.test('two processes with one store do not use a refresh token twice', async (t) => {
  const { client, clock, sent } = fakeClient((_request, count) => ({
    json: tokenAnswer(`t${count}`, { refresh_token: `r${count}` }),
  }))
  const store = storeOf({ accessToken: 't0', expiresAt: clock.wallMs(), refreshToken: 'r0' })
  const [one, two] = [client.person(store), client.person(store)]
  const got = await Promise.all([one.token(), two.token()])
  t.same(new Set(got.map(({ accessToken }) => accessToken)), new Set(['t1']))
  t.equal(sent.length, 1)
  t.equal(one.reject('t1'), true)
  t.equal((await one.token()).accessToken, 't2', 'a token that was refused is not taken from the store again')
})

t.test('when the sign-in was ended the store is emptied and the person has to come back', async (t) => {
  const held = { accessToken: 't0', expiresAt: 0, refreshToken: 'r0' }
  const written: string[] = []
  const refusedClient = fakeClient(() => refused('invalid_grant'))
  t.equal(await failure(refusedClient.client.person(storeOf(held, written)).token()), 'sign_in_required')
  t.same(written, ['nothing'])
  t.equal(await failure(refusedClient.client.person(createMemoryStore()).token()), 'sign_in_required')
  t.equal(
    await failure(refusedClient.client.person(createMemoryStore({ accessToken: 't', expiresAt: 0 })).token()),
    'sign_in_required',
  )
  t.equal(refusedClient.sent.length, 1)

  const busy = fakeClient(() => refused('temporarily_unavailable', 503))
  const kept: string[] = []
  t.equal(await failure(busy.client.person(storeOf(held, kept)).token()), 'try_later')
  t.same(kept, [], 'a server that is away ends no sign-in')

  const lost = fakeClient((_request, count) =>
    count === 1 ? new TypeError('fetch failed') : { json: tokenAnswer('t1') },
  )
  const token = lost.client.person(storeOf(held)).token()
  await lost.clock.pass(500)
  t.equal((await token).accessToken, 't1', 'an answer that was lost is requested again while the server repeats it')
  t.same(
    lost.sent.map(({ form }) => form.get('refresh_token')),
    ['r0', 'r0'],
  )
  await lost.client.revoke('r0')
  t.match(lost.sent.at(-1), { url: { pathname: '/revoke' } })
})

t.test('fetch: the token goes to the configured origins alone, and follows no redirect', async (t) => {
  const { client } = fakeClient()
  const calls: { url: string; init: RequestInit | undefined }[] = []
  let answer = () => new Response('{}')
  const send = (async (input: string | URL | Request, init?: RequestInit) => {
    calls.push({ url: input instanceof Request ? input.url : String(input), init })
    return answer()
  }) as typeof globalThis.fetch
  const call = createFetch(client.application(), { resources: ['https://api.example/v2'], fetch: send })
  const bearer = () => new Headers(calls.at(-1)?.init?.headers).get('authorization')
  await call('https://api.example/anything?x=1', { headers: { accept: 'text/plain', authorization: 'Basic x' } })
  t.equal(bearer(), 'Bearer token-1')
  t.equal(new Headers(calls[0]?.init?.headers).get('accept'), 'text/plain')
  t.equal(calls[0]?.init?.redirect, 'manual')
  await call(new Request('https://api.example/r', { method: 'POST', body: 'b', headers: { 'x-own': '1' } }))
  t.equal(new Headers(calls.at(-1)?.init?.headers).get('x-own'), '1')
  const before = calls.length
  const otherOrigins = [
    'https://api.example.evil/',
    'http://api.example/',
    'https://api.example:8443/',
    '//api.example/',
    'https://u@evil/',
  ]
  for (const url of otherOrigins) t.equal(await failure(call(url)), 'foreign_origin', url)
  t.equal(await failure(call(new Request('https://evil.example/'))), 'foreign_origin')
  t.equal(calls.length, before, 'nothing was sent')
  answer = () => new Response(null, { status: 307, headers: { location: 'https://evil.example/' } })
  t.equal(await failure(call('https://api.example/')), 'redirect_refused')
  t.equal(calls.length, before + 1, 'and not followed')
  t.throws(() => createFetch(client.application(), { resources: ['http://api.example'] }), { code: 'wrong_use' })
})

t.test('fetch: 401 is tried once more with a new token, when the body can be sent again', async (t) => {
  const { client, sent, clock } = fakeClient()
  let good = 'token-2'
  const bodies: unknown[] = []
  const send = (async (_input: string | URL | Request, init: RequestInit = {}) => {
    bodies.push(init.body)
    const isGood = new Headers(init.headers).get('authorization') === `Bearer ${good}`
    return new Response(isGood ? 'done' : 'refused', { status: isGood ? 200 : 401 })
  }) as typeof globalThis.fetch
  const call = createFetch(client.application(), { resources: ['https://api.example'], fetch: send })
  const post = (body: RequestInit['body']) =>
    call('https://api.example/', { method: 'POST', body, duplex: 'half' } as RequestInit)
  const answers = await Promise.all(Array.from({ length: 100 }, () => post('text').then((response) => response.text())))
  t.same(new Set(answers), new Set(['done']))
  t.equal(sent.length, 2, 'a hundred that were refused together got one new token')
  t.equal(bodies.length, 200)

  await clock.pass(1000)
  good = 'none'
  const error = await thrown(post(new URLSearchParams('a=1')))
  t.ok(error instanceof ResourceRefusal)
  t.match(error, { code: 'unauthorized', response: { status: 401 } })
  t.equal(bodies.length, 202, 'one retry and no more')
  t.equal(sent.length, 3)
  t.equal(await failure(post('text')), 'unauthorized')
  t.equal(bodies.length, 203, 'and none at all with a token that is a moment old')

  await clock.pass(1000)
  const stream = () => new ReadableStream({ start: (controller) => controller.close() })
  t.equal(await failure(post(stream())), 'body_not_repeatable')
  t.equal(bodies.length, 204)
  good = 'token-4'
  t.equal(await (await post(stream())).text(), 'done', 'the next call has the new token')
  for (const body of [new Blob(['x']), new Uint8Array(1), new FormData(), undefined]) {
    await clock.pass(1000)
    good = `token-${sent.length + 1}`
    t.equal((await post(body)).status, 200)
  }
})

t.test('identity L9: RFC 9470 fetch: a sign-in that is not good enough is typed, and costs no new token', async (t) => {
  const { client } = fakeClient()
  const challenges = [
    ['max_age="600"', { maxAge: 600, acrValues: undefined }],
    ['acr_values="2 3", max_age=90', { maxAge: 90, acrValues: '2 3' }],
    ['scope="x"', { maxAge: undefined, acrValues: undefined }],
  ] as const
  for (const [fields, expected] of challenges) {
    let attempts = 0
    const headers = {
      'www-authenticate': `Bearer realm="x", error="insufficient_user_authentication", error_description="Sign in again.", ${fields}`,
    }
    const send = (async () => {
      attempts += 1
      return new Response('{}', { status: 401, headers })
    }) as unknown as typeof globalThis.fetch
    const call = createFetch(client.application(), { resources: ['https://api.example'], fetch: send })
    const refused = await thrown(call('https://api.example/'))
    t.ok(refused instanceof InsufficientUserAuthentication && refused instanceof ResourceRefusal)
    t.match(refused, { code: 'insufficient_user_authentication', message: 'Sign in again.', ...expected }, fields)
    t.equal(attempts, 1, 'a token that was renewed would say the same')
  }
})

t.test('fetch: what is missing, and when to come back, are typed', async (t) => {
  const { client } = fakeClient()
  let answer = new Response()
  const send = (async () => answer) as unknown as typeof globalThis.fetch
  const call = createFetch(client.application(), { resources: ['https://api.example'], fetch: send })
  const challenge = 'Bearer realm="x", error="insufficient_scope", scope="A.Read"'
  const permission = { id: 'A.Read', kind: 'application', resource: 'https://api.example', status: 'not_consented' }
  const json = { error: { message: 'Missing.', permission, consent_uri: 'https://id.example/c' } }
  answer = Response.json(json, { status: 403, headers: { 'www-authenticate': challenge } })
  const missing = await thrown(call('https://api.example/'))
  t.ok(missing instanceof InsufficientScope && missing instanceof ResourceRefusal && missing instanceof ClientError)
  t.match(missing, { code: 'insufficient_scope', message: 'Missing.', permission, consentUri: 'https://id.example/c' })
  answer = new Response('no JSON', { status: 403, headers: { 'www-authenticate': challenge } })
  t.match(await thrown(call('https://api.example/')), { permission: { id: 'A.Read' }, consentUri: undefined })
  answer = new Response('another reason', { status: 403 })
  t.equal((await call('https://api.example/')).status, 403, 'another 403 is an answer')
  for (const status of [429, 503]) {
    answer = new Response('', { status, headers: { 'retry-after': '7' } })
    t.match(await thrown(call('https://api.example/')), {
      code: 'try_later',
      retryAfterSeconds: 7,
      response: { status },
    })
  }
  answer = new Response('', { status: 500 })
  t.equal((await call('https://api.example/')).status, 500)
})

/** A store for several, one at a time; `written` collects the refresh tokens that it was given. */
function storeOf(first: HeldTokens, written: string[] = []): TokenStore {
  let held: HeldTokens | undefined = first
  let line: Promise<unknown> = Promise.resolve()
  return {
    read: async () => held,
    write: async (next) => {
      held = next
      written.push(next?.refreshToken ?? 'nothing')
    },
    exclusively: (work) => {
      const turn = line.then(work)
      line = turn.catch(() => {})
      return turn
    },
  }
}
