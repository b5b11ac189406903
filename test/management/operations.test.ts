// Tenants, revocations, keys, catalogue, status; who may call at all; and what happens when the Store does not answer.

import t from 'tap'
import { listApplications } from '../../src/storage/sql/registrations/applications.js'
import { verifyAccessToken } from '../../src/tokens/verify.js'
import { readToken } from '../support/rooms/identity.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const nobody = '00000000-0000-4000-8000-000000000000'
const tokenPath = '/api/v2/oauth2/v2.0/token'
const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Every route, with a body that it takes. */
const routes: ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string, unknown?][] = [
  ['GET', '/applications'],
  ['POST', '/applications', { name: 'x', type: 'web' }],
  ['GET', '/applications/demo'],
  ['PATCH', '/applications/demo', { name: 'x' }],
  ['POST', '/applications/demo/secrets', {}],
  ['DELETE', '/applications/demo/secrets/x'],
  ['PUT', '/applications/demo/permissions', { permissions: [] }],
  ['POST', '/applications/demo/consents', {}],
  ['DELETE', `/applications/demo/consents/${nobody}`],
  ['POST', '/applications/demo/token', {}],
  ['GET', '/tenants'],
  ['POST', '/tenants', { name: 'x' }],
  ['PATCH', `/tenants/${nobody}`, { state: 'disabled' }],
  ['POST', '/revocations', { what: 'tenant', id: nobody }],
  ['POST', '/configuration/reload'],
  ['POST', '/keys/rotate', {}],
  ['DELETE', `/keys/${'x'.repeat(43)}`],
  ['GET', '/keys'],
  ['GET', '/permissions'],
  ['GET', '/status'],
  ['GET', '/auditEvents'],
  ['GET', '/auditEvents/verification'],
  ['POST', '/auditEvents/verification', { checkpoints: [] }],
  ['GET', '/auditEvents/checkpoint'],
  ['GET', '/auditEvents/pruning?before=2020-01-01'],
  ['POST', '/auditEvents/pruning', { through: 1, withoutExport: true }],
  ['GET', '/activity'],
]

t.test('whom no transport vouches for is not let in, whatever the route', async (t) => {
  const { manage, caller, store, feed } = await open(t)
  const { seq } = feed
  caller.principal = undefined
  for (const [method, path, body] of routes) {
    t.match(refusal(await manage(method, path, body)), { status: 403, code: 'Forbidden' }, `${method} ${path}`)
  }
  t.equal(feed.seq, seq)
  t.equal((await listApplications(store.reader, { after: undefined, limit: 9 })).length, 1)
})

t.test('unknown routes are 404 with the error body, and other methods 405 with Allow', async (t) => {
  const { manage } = await open(t)
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['GET', '/applications/'],
    ['GET', '/Applications'],
  ] as const) {
    t.match(refusal(await manage(method, path)), { status: 404, code: 'NotFound' }, path)
  }
  for (const [method, path, allow] of [
    ['PUT', '/tenants', 'GET, HEAD, POST'],
    ['PUT', '/applications/demo', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/revocations', 'POST'],
  ] as const) {
    const response = await manage(method, path)
    t.match(refusal(response), { status: 405, code: 'MethodNotAllowed' }, path)
    t.equal(response.headers.allow, allow)
  }
})

t.test('tenants are created, listed, disabled and enabled', async (t) => {
  const { manage, tenantId } = await open(t)
  const created = await manage('POST', '/tenants', { name: 'Fabrikam' })
  t.equal(created.statusCode, 201)
  t.match(created.json(), { tenantId: guid, name: 'Fabrikam', state: 'enabled', createdAt: /Z$/ })
  const patch = (id: string, body: unknown) => manage('PATCH', `/tenants/${id}`, body)
  t.match((await patch(created.json().tenantId, { state: 'disabled' })).json(), { name: 'Fabrikam', state: 'disabled' })
  t.same(
    (await manage('GET', '/tenants'))
      .json()
      .value.map((each: { state: string }) => each.state)
      .sort(),
    ['disabled', 'enabled'],
  )
  t.match((await patch(created.json().tenantId, { state: 'enabled' })).json(), { state: 'enabled' })
  for (const body of [{}, { name: '', x: 1 }, { name: 5 }, { tenantId: nobody, name: 'x' }]) {
    t.match(refusal(await manage('POST', '/tenants', body)), { status: 400, code: 'InvalidRequest' })
  }
  for (const name of ['', 'a\u0000', '\u202e', nobody]) {
    t.match(refusal(await manage('POST', '/tenants', { name })), { status: 400, code: 'InvalidName' })
  }
  for (const body of [{}, { state: 'gone' }, { name: '' }]) t.equal((await patch(tenantId, body)).statusCode, 400)
  for (const id of [nobody, 'Contoso', 'x'])
    t.match(refusal(await patch(id, { state: 'disabled' })), { status: 404, code: 'TenantNotFound' })
})

t.test('V4 a revocation by token, jti, credential, application or tenant is effective with its answer', async (t) => {
  const { manage, id, tenantId, keyId, token, isActive, clientSecret, tokenWith } = await open(t)
  const revoke = async (body: unknown) => {
    const response = await manage('POST', '/revocations', body)
    t.equal(response.statusCode, 200)
    t.same(Object.keys(response.json()), ['seq'])
  }
  const subjects: ((token: string) => object)[] = [
    (token) => ({ what: 'token', token }),
    (token) => ({ what: 'token', id: readToken(token).claims['jti'] }),
    () => ({ what: 'application', id }),
    () => ({ what: 'application', id: 'demo' }),
    () => ({ what: 'tenant', id: tenantId }),
  ]
  for (const subject of subjects) {
    const issued = await token()
    t.ok(isActive(issued))
    await revoke(subject(issued))
    t.notOk(isActive(issued))
    t.ok(isActive(await token()), 'a new one is good')
  }
  const last = await token()
  await revoke({ what: 'credential', id: keyId })
  t.notOk(isActive(last))
  t.equal((await tokenWith(clientSecret)).statusCode, 401, 'the secret has ended too')
})

t.test('V1 one revoked token leaves the others valid', async (t) => {
  const { manage, token, isActive } = await open(t)
  const [one, two] = [await token(), await token()]
  await manage('POST', '/revocations', { what: 'token', token: one })
  t.notOk(isActive(one))
  t.ok(isActive(two))
})

t.test('revocations that name nothing, or two things, or something else are refused', async (t) => {
  const { manage, token, isActive, id, clock } = await open(t)
  const issued = await token()
  const revoke = async (body: unknown) => refusal(await manage('POST', '/revocations', body))
  for (const body of [
    {},
    { what: 'token' },
    { what: 'everything', id },
    { what: 'user', id: nobody },
    { what: 'token', id: nobody, token: issued },
    { what: 'application', token: issued },
    { what: 'application', id, token: issued },
    { what: 'token', id: 'not a jti' },
    { what: 'token', id: `${nobody}\u0000` },
    { what: 'application', id, seq: 5 },
    { what: 'token', token: 'x'.repeat(9_000) },
  ]) {
    t.match(await revoke(body), { status: 400, code: 'InvalidRequest' })
  }
  t.match(await revoke({ what: 'application', id: nobody }), { status: 404, code: 'ApplicationNotFound' })
  t.match(await revoke({ what: 'tenant', id: nobody }), { status: 404, code: 'TenantNotFound' })
  t.match(await revoke({ what: 'tenant', id: 'Contoso' }), { status: 404, code: 'TenantNotFound' })
  t.match(await revoke({ what: 'credential', id: 'unknown' }), { status: 404, code: 'SecretNotFound' })
  const tampered = `${issued.slice(0, -4)}${issued.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  for (const bad of [tampered, 'x', 'a.b.c', `${issued} `]) {
    const refused = await revoke({ what: 'token', token: bad })
    t.match(refused, { status: 400, code: 'InvalidToken', target: 'token' })
    if (bad.length > 10) t.notOk(JSON.stringify(refused).includes(bad.slice(10)), 'no token in the answer')
  }
  t.ok(isActive(issued))
  clock.nowMs += 2 * 3_600_000
  t.match(
    await revoke({ what: 'token', token: issued }),
    { status: 400, code: 'InvalidToken' },
    'it has ended by itself',
  )
})

t.test('M3 keys are listed without private parts, rotated, and removed', async (t) => {
  const { manage, token, keyring } = await open(t)
  const listed = await manage('GET', '/keys')
  t.notMatch(listed.body, /private|"d"|"x"|sealed/)
  const active = (body: { value: { kid: string; purpose: string; alg: string; state: string }[] }) =>
    body.value.find((key) => key.purpose === 'token' && key.alg === 'ES256' && key.state === 'active')?.kid
  const before = active(listed.json())
  t.equal(readToken(await token()).header['kid'], before)

  const pending = (await manage('POST', '/keys/rotate', { purpose: 'token' })).json()
  t.ok(pending.value.some((key: { state: string }) => key.state === 'pending'))
  t.equal(active(pending), before, 'a successor is published before it signs')

  const after = active((await manage('POST', '/keys/rotate', { purpose: 'token', immediately: true })).json())
  t.not(after, before)
  t.equal(readToken(await token()).header['kid'], after)

  t.equal((await manage('DELETE', `/keys/${before}`)).statusCode, 204)
  t.equal(keyring.verificationKey('token', String(before)), undefined)
  for (const kid of [before, 'x'.repeat(43), 'x', "' or 1=1", '../../dev/null']) {
    t.match(refusal(await manage('DELETE', `/keys/${encodeURIComponent(String(kid))}`)), {
      status: kid === '../../dev/null' ? 400 : 404,
    })
  }
  for (const body of [{ purpose: 'all' }, { immediately: 1 }, { kid: before }]) {
    t.match(refusal(await manage('POST', '/keys/rotate', body)), { status: 400, code: 'InvalidRequest' })
  }
})

t.test('GET /permissions shows the catalogue, GET /status this instance', async (t) => {
  const { manage, catalogue, clock, feed } = await open(t)
  const permissions = (await manage('GET', '/permissions')).json().value
  t.equal(permissions.length, catalogue.permissions.length)
  t.match(permissions[1], { id: 'User.Read.All', kinds: ['application', 'delegated'], adminConsent: true, covers: [] })
  clock.nowMs += 90_000
  t.match((await manage('GET', '/status')).json(), {
    version: '1.2.3',
    mode: 'development',
    baseUrl: 'https://portcullis.test',
    uptimeSeconds: 90,
    seq: feed.seq,
    viewStale: false,
    store: { kind: 'sqlite', available: true },
    redis: null,
    instance: 'a1b2c3d4',
    ready: true,
    degraded: [],
    leader: true,
    clockSkewSeconds: 0,
    instances: [{ id: 'a1b2c3d4', name: 'host:1', leader: true }],
    routes: 0,
    upstreams: [],
    targets: [],
    refusedConfiguration: null,
    gonePlans: [],
  })
})

t.test('GET /status says since when the files are refused, and the first ten of their mistakes', async (t) => {
  const mistake = (line: number) => ({ file: '/etc/rules.yaml', line, column: 3, path: 'routes', message: 'is wrong' })
  let problems = [1, 2].map(mistake)
  const since = Date.UTC(2026, 0, 2)
  const { manage } = await openManagement(t, { refusedConfiguration: () => ({ since, problems }) })
  const refused = async () => (await manage('GET', '/status')).json().refusedConfiguration
  t.same(await refused(), {
    since: '2026-01-02T00:00:00.000Z',
    mistakes: 2,
    first: ['/etc/rules.yaml:1:3 routes: is wrong', '/etc/rules.yaml:2:3 routes: is wrong'],
  })
  problems = Array.from({ length: 12 }, (_, line) => mistake(line))
  t.match(await refused(), { mistakes: 12, first: { length: 10 } })
})

t.test('GET /status shows how the targets of services stand, and since when one is down', async (t) => {
  const targetAt = (port: number) => ({
    ...{ kind: 'url' as const, origin: `http://127.0.0.1:${port}`, basePath: '/box', weight: 1 },
  })
  const eject = { failures: 2, forMs: 60_000, maxPercent: 50 }
  const upstreams = new Map([
    ['box', upstreamSettings('box', { targets: [targetAt(1), targetAt(2), targetAt(3)], eject })],
  ])
  const { manage, gate, clock } = await openManagement(t, { upstreams })
  const box = gate.upstreams().get('box')
  const [failing, unwell] = box?.targets ?? []
  if (box === undefined || failing === undefined || unwell === undefined) throw new Error('there are no targets')
  const targets = async () => {
    const all = (await manage('GET', '/status')).json().targets as { target: string; state: string; since: string }[]
    return all.map(({ target, state, since }) => [target.slice(-5), state, since])
  }
  const up = (port: number) => [`${port}/box`, 'up', null]
  t.same(await targets(), [up(1), up(2), up(3)])
  for (const _ of [1, 2]) box.candidates.failed(failing)
  box.candidates.checked(unwell, false)
  const [first, second, third] = await targets()
  t.same([first?.slice(0, 2), second?.slice(0, 2), third], [['1/box', 'failing'], ['2/box', 'unwell'], up(3)])
  for (const since of [first?.[2], second?.[2]]) {
    t.equal(new Date(`${since}`).toISOString(), since)
    t.ok(Date.parse(`${since}`) <= clock.nowMs)
  }
  box.candidates.checked(failing, true)
  box.candidates.checked(unwell, true)
  t.same(await targets(), [up(1), up(2), up(3)])
})

t.test(
  'V4 while the Store does not answer every call that needs it is 503 with Retry-After, and nothing is said of it',
  async (t) => {
    const { manage, store } = await open(t)
    await store.close()
    const kept = new Set([
      ...['GET /keys', 'GET /permissions', 'GET /status', `DELETE /keys/${'x'.repeat(43)}`],
      'POST /configuration/reload',
    ])
    for (const [method, path, body] of routes) {
      if (kept.has(`${method} ${path}`)) continue
      const response = await manage(method, path, body)
      t.equal(response.statusCode, 503, `${method} ${path}`)
      t.match(response.headers['retry-after'], /^[1-9]/)
      t.match(refusal(response), { code: 'ServiceUnavailable' })
      t.notMatch(response.body, /sql|store|closed|portcullis\.db/i)
    }
    const status = await manage('GET', '/status')
    t.same([status.statusCode, status.json().store.available], [200, false])
    t.equal(status.json().gonePlans, null, 'nobody can know now')
    t.equal((await manage('GET', '/keys')).statusCode, 200)
  },
)

t.test('X3 an unexpected failure says nothing but a request id', async (t) => {
  const { manage, deps } = await open(t)
  Object.defineProperty(deps.settings, 'tokens', {
    get() {
      throw new Error('secret detail in /var/lib')
    },
  })
  const response = await manage('POST', '/applications/demo/token', {})
  t.match(refusal(response), { status: 500, code: 'InternalError' })
  t.notMatch(response.body, /secret detail|var\/lib|Error:|\.ts/)
  t.equal(response.json().error.innerError['request-id'], response.headers['request-id'])
})

t.test('K8 X5 no secret, token or query is in any log line, error or header', async (t) => {
  const { manage, managementLog, logged, id, clientSecret, token } = await open(t)
  const canaries = [clientSecret, await token()]
  const remember = (response: { json: () => Record<string, unknown> }) => {
    const { clientSecret, access_token } = response.json()
    canaries.push(...[clientSecret, access_token].filter((each) => typeof each === 'string'))
  }
  remember(await manage('POST', '/applications', { name: 'x', type: 'web' }))
  remember(await manage('POST', `/applications/${id}/secrets`, { rotate: true, overlapSeconds: 60 }))
  remember(await manage('POST', `/applications/${id}/token`, {}))
  t.equal(canaries.length, 5)
  const answers = []
  for (const canary of canaries) {
    answers.push(await manage('POST', '/revocations', { what: 'token', token: `${canary}x` }))
    answers.push(await manage('POST', '/applications', { name: 'x', type: 'web', [canary]: canary }))
    answers.push(await manage('POST', '/applications', `{"clientSecret":"${canary}"`))
    answers.push(await manage('GET', `/applications?$skiptoken=${canary}`))
    answers.push(await manage('POST', `/applications/${id}/secrets`, canary, { 'content-type': 'text/plain' }))
  }
  // Of a token in base64url the others may be a letter or two.
  const longest = (parts: readonly string[]) => parts.toSorted((a, b) => b.length - a.length)[0] ?? ''
  const randomParts = canaries.map((each) => longest(each.split(/[_.]/)))
  for (const lines of [managementLog, logged]) {
    t.ok(lines.length > 0)
    for (const part of randomParts) t.notOk(lines.some((line) => line.includes(part)))
  }
  for (const answer of answers) {
    t.ok(answer.statusCode >= 400)
    const text = JSON.stringify(answer.headers) + answer.body
    for (const part of randomParts) t.notOk(text.includes(part))
  }
})

t.test('X4 control characters and hostile keys from a body reach no log line raw', async (t) => {
  const { manage, managementLog } = await open(t)
  const hostile = '\r\n{"level":"error"}\u001b[31m\u2028'
  await manage('POST', '/applications', { name: hostile, type: 'web', [hostile]: 1 })
  const refused = refusal(await manage('POST', '/applications', { name: 'x', type: 'web', [hostile]: 1 }))
  t.notMatch(JSON.stringify(refused), /u001b|\\r|\\n|\u2028/)
  for (const line of managementLog) {
    t.ok(JSON.parse(line))
    t.equal(line.trimEnd().split('\n').length, 1)
  }
})

async function open(t: Parameters<typeof openManagement>[0]) {
  const testApp = await openManagement(t)
  const { registration, secret: clientSecret, keyId, tenantId } = await testApp.registerDemo()
  const id = registration.applicationId
  const client = { client_id: id, client_secret: clientSecret }
  const tokenWith = (secret: string) =>
    testApp.post(tokenPath, { ...client, client_secret: secret, grant_type: 'client_credentials', scope: 'default' })
  const token = async (): Promise<string> => (await tokenWith(clientSecret)).json().access_token
  /** As the gate decides: a token that verifies and that the view does not refuse. */
  const isActive = (token: string): boolean => {
    const { clock, keyring, view } = testApp
    const issuer = testApp.deps.settings.server.baseUrl
    const claims = verifyAccessToken(token, { keyring, issuer, leewaySeconds: 60, nowMs: clock.nowMs })
    const { jti, cid, tid, seq } = claims
    const facts = { jti, credentialId: cid, applicationId: claims.client_id, tenantId: tid, seq }
    return view.refusal(facts, clock.nowMs) === undefined
  }
  return { ...testApp, id, keyId, tenantId, clientSecret, tokenWith, token, isActive }
}
