// What every OAuth endpoint owes on the wire: methods, media type, sizes, repeated and misplaced parameters, headers,
// the error body, limits, and silence about what went wrong inside.

import t from 'tap'
import type { Directory } from '../../src/directory/records.js'
import { StoreUnavailable } from '../../src/storage/sql/store.js'
import { baseUrl } from '../support/rooms/directory.js'
import { listening } from '../support/rooms/http-server.js'
import {
  type IdentityApp,
  introspectPath,
  openIdentity,
  readToken,
  revokePath,
  tokenPath,
  unknownGuid,
} from '../support/rooms/identity.js'
import { rawConnection } from '../support/traffic/http-raw.js'
import { until } from '../support/traffic/until.js'

const endpoints = [tokenPath, '/API/v2/OAuth/token', revokePath, introspectPath]
const spellings = [tokenPath, '/API/v2/OAuth/token', '/api/v2/oauth/token', '/aPI/V2/oAUTH/TOKEN']

/** Asks for 100 Continue, so that its sender hears when the body is being waited for. */
const unfinished = `POST ${tokenPath} HTTP/1.1\r\nHost: portcullis.test\r\nX-Forwarded-Proto: https\r\nExpect: 100-continue\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na=`

async function credentials(testApp: IdentityApp): Promise<Record<string, string>> {
  const { registration, secret } = await testApp.registerDemo()
  return {
    grant_type: 'client_credentials',
    scope: 'default',
    client_id: registration.applicationId,
    client_secret: secret,
  }
}

t.test('T1 only POST: every other method is 405 with Allow, whatever it sends', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  for (const url of endpoints) {
    // A preflight is answered where browser applications may call (test/identity/cors.test.ts).
    const allow = url === introspectPath ? 'POST' : 'POST, OPTIONS'
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      if (allow.includes(method)) continue
      const answer = await testApp.ask({ method, url })
      t.equal(answer.statusCode, 405, `${method} ${url}`)
      t.equal(answer.headers['allow'], allow)
      t.equal(answer.headers['cache-control'], 'no-store')
      if (method !== 'HEAD') t.match(answer.json(), { error: 'invalid_request', error_codes: [900561] })
    }
  }
  const get = await testApp.ask({ method: 'GET', url: `${tokenPath}?${new URLSearchParams(fields)}` })
  t.equal(get.statusCode, 405)
})

t.test('T1 a body of another media type is 415, and one that only looks like a form is another', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  const form = new URLSearchParams(fields).toString()
  const post = (type: string | undefined, payload = form) =>
    testApp.ask({
      method: 'POST',
      url: tokenPath,
      headers: type === undefined ? {} : { 'content-type': type },
      payload,
    })
  const accepted = ['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=UTF-8']
  for (const type of [...accepted, 'application/x-www-form-urlencoded;charset="utf-8"']) {
    t.equal((await post(type)).statusCode, 200, type)
  }
  const refused = [
    'text/plain',
    'multipart/form-data',
    'application/x-www-form-urlencodedx',
    'application/json;x=application/x-www-form-urlencoded',
  ]
  refused.push(
    'application/x-www-form-urlencoded; charset=utf-16',
    'application/x-www-form-urlencoded, text/plain',
    'x',
  )
  for (const type of [...refused, undefined]) {
    const answer = await post(type)
    t.equal(answer.statusCode, 415, String(type))
    t.match(answer.json(), { error: 'invalid_request', error_codes: [9002313] })
  }
  t.equal((await post('application/json', JSON.stringify(fields))).statusCode, 415, 'JSON is never a token')
})

t.test('T27 a body over 16 KiB is 413; broken text, too many parameters and nested names are no trouble', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  const large = await testApp.post(tokenPath, { ...fields, padding: 'x'.repeat(16_384) })
  t.equal(large.statusCode, 413)
  t.match(large.json(), { error: 'invalid_request', error_codes: [9002313] })
  const room = 16_384 - new URLSearchParams({ ...fields, padding: '' }).toString().length
  t.equal((await testApp.post(tokenPath, { ...fields, padding: 'x'.repeat(room) })).statusCode, 200, 'exactly 16 KiB')
  const many = await testApp.post(tokenPath, Array.from({ length: 4000 }, (_, i) => `p=${i % 10}`).join('&'))
  t.equal(many.statusCode, 400)
  t.equal((await testApp.post(tokenPath, `${new URLSearchParams(fields)}&a[b][c]=1&__proto__=2`)).statusCode, 200)
  for (const body of ['scope=%zz', 'client_id=%00', 'a=%ff']) {
    const answer = await testApp.post(tokenPath, body)
    t.equal(answer.statusCode, 400, body)
    t.match(answer.json(), { error: 'invalid_request', error_codes: [9002313] })
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const notUtf8 = await testApp.ask({
    method: 'POST',
    url: tokenPath,
    headers,
    payload: Buffer.from([0x61, 0x3d, 0xff]),
  })
  t.match(notUtf8.json(), { error: 'invalid_request', error_codes: [9002313] })
})

t.test('T2 a parameter that comes twice is invalid_request at every endpoint', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  const form = new URLSearchParams(fields).toString()
  for (const name of ['grant_type', 'scope', 'client_id', 'client_secret']) {
    for (const url of endpoints) {
      const answer = await testApp.post(url, `${form}&token=x&${name}=${encodeURIComponent(fields[name] ?? '')}`)
      t.equal(answer.statusCode, 400, `${name} ${url}`)
      t.match(answer.json(), { error: 'invalid_request', error_codes: [90100] })
    }
  }
  t.equal(
    (await testApp.post(tokenPath, `${form}&color=red&color=blue`)).statusCode,
    200,
    'T4 unknown ones are ignored',
  )
})

t.test(
  'T3 a secret, code or token in the URL is invalid_request, even with good credentials in the body',
  async (t) => {
    const testApp = await openIdentity(t)
    const fields = await credentials(testApp)
    for (const name of ['client_secret', 'code', 'code_verifier', 'token', 'refresh_token', 'access_token']) {
      for (const url of endpoints) {
        const answer = await testApp.post(`${url}?${name}=x`, { ...fields, token: 'x' })
        t.equal(answer.statusCode, 400, `${name} ${url}`)
        t.match(answer.json(), { error: 'invalid_request', error_codes: [90100] })
      }
    }
    const inUrl = await testApp.post(
      `${tokenPath}?client_id=${fields['client_id']}&grant_type=client_credentials`,
      'scope=default',
    )
    t.equal(inUrl.statusCode, 401, 'what else stands in the URL is not read')
  },
)

t.test('T5 T25 answers are never stored, JSON by name, and not to be sniffed', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  const answers = {
    token: await testApp.post(tokenPath, fields),
    refused: await testApp.post(tokenPath, { ...fields, scope: '<script>alert(1)</script>' }),
    unauthorized: await testApp.post(tokenPath, {}),
    introspection: await testApp.post(introspectPath, { ...fields, token: 'x' }),
    method: await testApp.ask({ method: 'GET', url: tokenPath }),
    mediaType: await testApp.ask({ method: 'POST', url: tokenPath, headers: { 'content-type': 'x/y' }, payload: 'a' }),
    large: await testApp.post(tokenPath, { ...fields, padding: 'x'.repeat(16_384) }),
    broken: await testApp.post(tokenPath, 'scope=%zz'),
    ...(await unwell(t)),
  }
  for (const [title, { headers }] of Object.entries(answers)) {
    t.equal(headers['cache-control'], 'no-store', title)
    t.equal(headers['pragma'], 'no-cache', title)
    t.equal(headers['content-type'], 'application/json;charset=UTF-8', title)
    t.equal(headers['x-content-type-options'], 'nosniff', title)
    t.equal(headers['access-control-allow-origin'], undefined, title)
    t.match(headers['request-id'], /^[0-9a-f-]{36}$/, title)
  }
  const statuses = Object.values(answers).map(({ statusCode }) => statusCode)
  t.same([...new Set(statuses)].sort(), [200, 400, 401, 405, 413, 415, 429, 500, 503], 'every status there is')
  const { error_description: echoed } = answers.refused.json()
  t.equal(echoed, 'Permission <script>alert(1)</script> is unknown.', 'a string of JSON, not a page')
  const revoked = await testApp.post(revokePath, { ...fields, token: 'x' })
  t.equal(revoked.headers['cache-control'], 'no-store')
  t.equal(revoked.body, '')
})

/** Answers of test apps in which something is wrong, or that get too many requests. */
async function unwell(t: Parameters<typeof openIdentity>[0]) {
  const busy = await openIdentity(t, { addressGuard: { limit: 1, periodMs: 60_000 } })
  await busy.post(tokenPath, {})
  const failed = async (error: Error) => {
    const testApp = await openIdentity(t, {
      replace: ({ directory }) => ({ directory: { ...directory, ...failing(error) } }),
    })
    return testApp.post(tokenPath, await credentials(testApp))
  }
  return {
    often: await busy.post(tokenPath, {}),
    away: await failed(new StoreUnavailable('locked')),
    bug: await failed(new TypeError('boom')),
  }
}

t.test('T24 an error has exactly the fields of the contract, in their order', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  const answer = await testApp.post(tokenPath, { ...fields, scope: 'assets_delete' })
  const body = answer.json()
  const names = ['error', 'error_description', 'error_codes', 'timestamp', 'trace_id', 'correlation_id', 'error_uri']
  t.same(Object.keys(body), names)
  t.equal(body.error_description, 'Permission assets_delete is not configured for this application.')
  t.same(body.error_codes, [70011])
  t.equal(body.timestamp, '2026-11-21 10:00:00Z')
  t.equal(body.trace_id, answer.headers['request-id'])
  t.equal(body.error_uri, `${baseUrl}/errors/70011`)
  const consent = await testApp.registerDemo({ consentBy: undefined })
  const more = (
    await testApp.post(tokenPath, {
      ...fields,
      client_id: consent.registration.publicKey,
      client_secret: consent.secret,
    })
  ).json()
  t.same(Object.keys(more), [...names, 'suberror', 'consent_uri'])
})

t.test('T24 correlation_id echoes a GUID client-request-id from header, query or body, and nothing else', async (t) => {
  const testApp = await openIdentity(t)
  const [header, query, body] = [unknownGuid(), unknownGuid(), unknownGuid()]
  const id = async (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await testApp.post(url, fields, headers)
    return answer.json().correlation_id === answer.headers['request-id'] ? 'own' : answer.json().correlation_id
  }
  t.equal(
    await id(`${tokenPath}?client-request-id=${query}`, { 'client-request-id': body }, { 'client-request-id': header }),
    header,
  )
  t.equal(await id(`${tokenPath}?client-request-id=${query}`, { 'client-request-id': body }), query)
  t.equal(await id(tokenPath, { 'client-request-id': body }), body)
  t.equal(await id(tokenPath, {}), 'own', 'without one it is the trace_id')
  t.equal(await id(tokenPath, { 'client-request-id': 'x"y' }, { 'client-request-id': '1' }), 'own', 'not a GUID')
})

t.test('T23 all spellings of the token endpoint behave alike: answers, log, metric and limit', async (t) => {
  const limits = {
    few: {
      name: 'few',
      by: ['address' as const],
      algorithm: { kind: 'quota' as const, limit: 4, periodMs: 3_600_000 },
    },
  }
  const testApp = await openIdentity(t, { limits })
  const fields = await credentials(testApp)
  for (const url of spellings) {
    const answer = await testApp.post(url, fields)
    t.equal(answer.statusCode, 200, url)
    t.match(answer.headers['ratelimit'], /^"few";r=\d;t=\d+$/)
  }
  for (const url of spellings) {
    const answer = await testApp.post(url, fields)
    t.equal(answer.statusCode, 429, `${url} shares the bucket`)
    t.match(answer.json(), { error: 'temporarily_unavailable', error_codes: [90055] })
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    t.match(answer.headers['ratelimit'], /^"few";r=0;t=\d+$/)
  }
  const text = await testApp.metrics.registry.metrics()
  t.match(text, /portcullis_http_requests_total\{route="token",method="POST",code="200",source="identity"\} 4/)
  t.match(text, /portcullis_token_issued_total\{grant="client_credentials",result="granted"\} 4/)
  for (const url of [
    '/API/v2/OAuth/token/',
    '/API/v2/OAuth/tokens',
    '/x/API/v2/OAuth/token',
    `${tokenPath}/`,
    tokenPath.toUpperCase(),
  ]) {
    t.equal((await testApp.post(url, fields)).statusCode, 404, `${url} is nothing`)
  }
  const lines = testApp.logged.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request')
  const served = lines.filter((line) => line.status !== 404)
  t.equal(served.length, 2 * spellings.length)
  t.same([...new Set(served.map((line) => line.route))], ['token'], 'one name in the log')
})

t.test('limits by application are charged after authentication only: nobody else uses them up', async (t) => {
  const limits = {
    app: {
      name: 'app',
      by: ['application' as const],
      algorithm: { kind: 'quota' as const, limit: 2, periodMs: 3_600_000 },
    },
  }
  const testApp = await openIdentity(t, { limits })
  const fields = await credentials(testApp)
  const other = await credentials(testApp)
  for (let i = 0; i < 5; i++)
    t.equal((await testApp.post(tokenPath, { ...fields, client_secret: 'x' })).statusCode, 401)
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) statuses.push((await testApp.post(tokenPath, fields)).statusCode)
  t.same(statuses, [200, 200, 429])
  t.equal((await testApp.post(tokenPath, other)).statusCode, 200, 'another application has its own')
  t.equal(
    (await testApp.post(introspectPath, { ...fields, token: 'x' })).statusCode,
    429,
    'one budget for all three endpoints',
  )
})

t.test('K7 ten failures per client and address, then 429; the client works from elsewhere', async (t) => {
  const testApp = await openIdentity(t, { failedAuthentications: { limit: 10, periodMs: 60_000 } })
  const fields = await credentials(testApp)
  const other = await credentials(testApp)
  const from = (address: string, more: Record<string, string>) =>
    testApp.post(tokenPath, { ...fields, ...more }, { 'x-forwarded-for': address })
  const wrong = await Promise.all(Array.from({ length: 30 }, () => from('198.51.100.9', { client_secret: 'x' })))
  t.equal(wrong.filter((answer) => answer.statusCode === 401).length, 10)
  t.equal(wrong.filter((answer) => answer.statusCode === 429).length, 20)
  const locked = await from('198.51.100.9', {})
  t.equal(locked.statusCode, 429, 'the right secret does not help there')
  t.match(locked.json(), { error: 'temporarily_unavailable', error_codes: [90055] })
  t.match(locked.headers['retry-after'], /^[1-9]\d*$/)
  const client = await testApp.directory.findRegistration(fields['client_id'] ?? '')
  t.equal(
    (await from('198.51.100.9', { client_id: client?.publicKey ?? '' })).statusCode,
    429,
    'by its other identifier too',
  )
  t.equal((await from('203.0.113.4', {})).statusCode, 200, 'the owner elsewhere is not locked out')
  t.equal((await from('198.51.100.9', other)).statusCode, 200, 'another client at that address is not either')
})

t.test('the guard per address comes first and answers as the room does', async (t) => {
  const testApp = await openIdentity(t, { addressGuard: { limit: 3, periodMs: 60_000 } })
  for (let i = 0; i < 3; i++) await testApp.post(tokenPath, {})
  const answer = await testApp.post(tokenPath, {})
  t.equal(answer.statusCode, 429)
  t.match(answer.json(), { error: 'temporarily_unavailable', error_codes: [90055] })
  t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
  t.match(answer.headers['ratelimit-policy'], /^"address-guard";q=3/)
})

const failing = (error: Error): Partial<Directory> => ({
  findRegistration: async () => {
    throw error
  },
})

t.test('an unavailable Store and a stale view are 503 with Retry-After, never a refusal of the client', async (t) => {
  const store = await openIdentity(t, {
    replace: ({ directory }) => ({ directory: { ...directory, ...failing(new StoreUnavailable('locked')) } }),
  })
  const stale = await openIdentity(t, { replace: ({ view }) => ({ view: { ...view, seq: 1, isStale: () => true } }) })
  const away = await openIdentity(t, { replace: () => ({ health: { storeUp: false } }) })
  for (const [title, testApp] of Object.entries({ store, stale, away })) {
    const answer = await testApp.post(tokenPath, await credentials(testApp))
    t.equal(answer.statusCode, 503, title)
    t.match(answer.json(), { error: 'temporarily_unavailable', error_codes: [90033] })
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    t.notMatch(answer.body, /locked/)
  }
})

t.test('X3 an unknown error says nothing outside, and the log has it', async (t) => {
  const testApp = await openIdentity(t, {
    replace: ({ directory }) => ({
      directory: { ...directory, ...failing(new TypeError('boom at /var/lib/secret.ts')) },
    }),
  })
  const answer = await testApp.post(tokenPath, await credentials(testApp))
  t.equal(answer.statusCode, 500)
  t.match(answer.json(), {
    error: 'server_error',
    error_codes: [50000],
    error_description: 'Something went wrong here.',
  })
  t.notMatch(`${answer.body}${JSON.stringify(answer.headers)}`, /boom|secret\.ts|TypeError|fastify|stack/i)
  t.equal(answer.headers['server'], undefined)
  t.equal(answer.headers['x-powered-by'], undefined)
  t.ok(testApp.logged.some((line) => line.includes('boom') && line.includes(answer.headers['request-id'] as string)))
})

t.test(
  'T27 a refusal before the body was read ends the connection, and nothing of the body becomes a request',
  async (t) => {
    const testApp = await openIdentity(t)
    const port = await listening(testApp.app)
    const head = (type: string) =>
      `POST ${tokenPath} HTTP/1.1\r\nHost: portcullis.test\r\nX-Forwarded-Proto: https\r\nContent-Type: ${type}\r\n`
    const cases: [string, string, number][] = [
      ['another media type', `${head('text/plain')}Content-Length: 100\r\n\r\n`, 415],
      ['an announced 1 MiB', `${head('application/x-www-form-urlencoded')}Content-Length: 1048576\r\n\r\n`, 413],
      ['another method', `${head('x').replace('POST', 'PUT')}Content-Length: 100\r\n\r\n`, 405],
    ]
    for (const [title, bytes, status] of cases) {
      const connection = await rawConnection({ port })
      t.teardown(() => connection.end())
      connection.send(`${bytes}GET /errors HTTP/1.1\r\nHost: portcullis.test\r\n\r\n`)
      const answer = await connection.answer()
      t.equal(answer.status, status, title)
      t.same(answer.headers.get('connection'), ['close'], title)
      t.match(JSON.parse(answer.body), { error: 'invalid_request' })
      t.match(answer.headers.get('request-id'), [JSON.parse(answer.body).trace_id])
      t.same(answer.headers.get('cache-control'), ['no-store'])
      t.equal(await connection.closed(), '', 'no second answer')
    }
  },
)

t.test('T5 T24 a body that does not arrive in time is refused as everything else is', async (t) => {
  const testApp = await openIdentity(t, { bodyIdleMs: 100 })
  const port = await listening(testApp.app)
  const connection = await rawConnection({ port })
  t.teardown(() => connection.end())
  connection.send(unfinished)
  const answer = await connection.answer()
  t.equal(answer.status, 408)
  t.match(JSON.parse(answer.body), { error: 'invalid_request', trace_id: answer.headers.get('request-id')?.[0] })
  t.same(answer.headers.get('cache-control'), ['no-store'])
  t.same(answer.headers.get('pragma'), ['no-cache'])
  // A timer may be a millisecond early.
  t.ok(Number(answer.headers.get('duration')?.[0]) >= 99)
  t.equal(await connection.closed(), '')
})

t.test('a client that leaves in the middle of its body is no error of ours', async (t) => {
  const testApp = await openIdentity(t)
  const port = await listening(testApp.app)
  const connection = await rawConnection({ port })
  connection.send(unfinished)
  connection.socket.once('data', () => connection.socket.destroy())
  await until('it is in the log', () => testApp.logged.some((line) => line.includes('"status":499')))
  t.match(testApp.logged.join(''), /"status":499/)
  t.same(
    testApp.logged.filter((line) => line.includes('"level":50')),
    [],
  )
})

t.test('T7 two Authorization headers are invalid_request, even when they are equal', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  const port = await listening(testApp.app)
  const basic = Buffer.from(`${fields['client_id']}:${fields['client_secret']}`).toString('base64')
  const body = 'grant_type=client_credentials&scope=default'
  const ask = async (authorization: string) => {
    const connection = await rawConnection({ port })
    t.teardown(() => connection.end())
    connection.send(
      `POST ${tokenPath} HTTP/1.1\r\nHost: portcullis.test\r\nX-Forwarded-Proto: https\r\n${authorization}` +
        `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    return connection.answer()
  }
  const line = `Authorization: Basic ${basic}\r\n`
  t.equal((await ask(line)).status, 200)
  const twice = await ask(`${line}authorization: Basic ${basic}\r\n`)
  t.equal(twice.status, 400)
  t.match(JSON.parse(twice.body), { error: 'invalid_request', error_codes: [90100] })
})

t.test('X7 what the server refuses for everybody stays 403 HttpsRequired and 421 at these addresses', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  for (const url of [tokenPath, '/API/v2/OAuth/token', '/errors/70011', '/.well-known/oauth-authorization-server']) {
    const method = url.toLowerCase().endsWith('token') ? ('POST' as const) : ('GET' as const)
    const body = method === 'POST' ? { payload: new URLSearchParams(fields).toString() } : {}
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const clear = await testApp.ask({ method, url, ...body, headers: { ...type, 'x-forwarded-proto': 'http' } })
    t.equal(clear.statusCode, 403, url)
    t.match(clear.json(), { error: { code: 'HttpsRequired' } })
    const otherHost = await testApp.ask({ method, url, ...body, headers: { ...type, host: 'evil.example' } })
    t.equal(otherHost.statusCode, 421, url)
    t.match(otherHost.json(), { error: { code: 'MisdirectedRequest' } })
  }
})

t.test('K8 neither secret nor token is in a log line, a metric, an error or a header', async (t) => {
  const testApp = await openIdentity(t)
  const fields = await credentials(testApp)
  const secret = fields['client_secret'] ?? ''
  const authorization = `Basic ${Buffer.from(`${fields['client_id']}:${secret}`).toString('base64')}`
  const token = (await testApp.post(tokenPath, fields)).json().access_token as string
  const answers = [
    await testApp.post(`${tokenPath}?client_secret=${secret}`, fields),
    await testApp.post(tokenPath, { ...fields, client_id: unknownGuid() }),
    await testApp.post(tokenPath, { ...fields, scope: 'nothing' }),
    await testApp.post(tokenPath, fields, { authorization }),
    await testApp.post(tokenPath, { ...fields, grant_type: secret }),
    await testApp.post(introspectPath, { ...fields, token: `${token}x` }),
    await testApp.post(revokePath, { ...fields, token }),
  ]
  const output = [...testApp.logged, ...answers.map(({ body, headers }) => body + JSON.stringify(headers))]
  output.push(await testApp.metrics.registry.metrics())
  const canaries = [secret, secret.split('_')[3] ?? '', authorization.slice(6), token, token.split('.')[2] ?? '']
  for (const canary of canaries) t.notOk(output.some((text) => text.includes(canary)))
  t.ok(
    testApp.logged.some((line) => line.includes('"reason":"client_unknown"')),
    'the log knows the reason',
  )
})

t.test('the algorithm is configured: RS256 and EdDSA sign as ES256 does', async (t) => {
  for (const algorithm of ['RS256', 'EdDSA'] as const) {
    const testApp = await openIdentity(t, { tokens: { algorithm } })
    const { access_token } = (await testApp.post(tokenPath, await credentials(testApp))).json()
    t.equal(readToken(access_token).header['alg'], algorithm)
  }
})
