// The management API for anyone who has an access token: the same refusals as at the gate, limits before and after the
// token is known, nothing decided on an old view.

import t, { type Test } from 'tap'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import type { RouteSettings } from '../../src/config/settings/route-settings.js'
import { revoke } from '../../src/revocation/revoke.js'
import { CountersUnavailable } from '../../src/storage/counters/counters.js'
import { ownResource } from '../support/rooms/directory.js'
import { openManagement } from '../support/rooms/management.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const baseUrl = 'https://portcullis.test'
const position = { file: 'test', line: 1, column: 1 }
const limitedRoute = (id: string, limits: readonly string[]): RouteSettings => ({
  ...{ id, path: id.slice(4), methods: new Map([['GET', 'public' as const]]), resource: ownResource, position },
  ...{ upstream: 'things', limits, bodyBytes: 1, stream: false, onStale: 'refuse' },
})
const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/api/v2"`

async function open(t: Test, options: Parameters<typeof openManagement>[1] = {}) {
  const testApp = await openManagement(t, options)
  const resource = testApp.catalogue.own.id
  const permissions = ['Application.Read.All', 'assets_read'].map((id) => ({
    ...{ kind: 'application' as const, resource, id },
  }))
  const { registration, secret, tenantId } = await testApp.registerDemo({ permissions })
  const client = { client_id: registration.applicationId, client_secret: secret, grant_type: 'client_credentials' }
  const token = async (scope: string) => {
    const answer = await testApp.post('/api/v2/oauth2/v2.0/token', { ...client, scope })
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json().access_token as string
  }
  testApp.caller.principal = 'token'
  const call = (method: 'GET' | 'POST', path: string, token?: string, body?: unknown) =>
    testApp.manage(method, path, body, token === undefined ? {} : { authorization: `Bearer ${token}` })
  return { testApp, token, call, registration, tenantId }
}

t.test('J14 J15 no token, a wrong one, two, and one in the query are refused as at the gate', async (t) => {
  const { call, testApp, token } = await open(t)
  const none = await call('GET', '/applications')
  t.equal(none.statusCode, 401)
  t.equal(none.json().error.code, 'AuthenticationRequired')
  t.equal(none.headers['www-authenticate'], `Bearer realm="${baseUrl}", ${metadata}`)
  const wrong = await call('GET', '/applications', 'abc.def.ghi')
  t.equal(wrong.statusCode, 401)
  t.match(wrong.headers['www-authenticate'], /error="invalid_token"/)
  const good = await token('Application.Read.All')
  t.equal((await call('GET', `/applications?access_token=${good}`)).statusCode, 400)
  t.equal((await testApp.manage('POST', '/applications', {}, {})).statusCode, 401, 'a body is not read before')
})

t.test('J13 a token opens what its permission is for; what is missing is said with how to fix it', async (t) => {
  const { call, token, registration, tenantId, testApp } = await open(t)
  const good = await token('Application.Read.All')
  const list = await call('GET', '/applications', good)
  t.equal(list.statusCode, 200)
  t.same(
    list.json().value.map(({ applicationId }: { applicationId: string }) => applicationId),
    [registration.applicationId],
  )
  t.equal(list.headers['cache-control'], 'no-store')
  const missing = await call('POST', '/applications', good, { name: 'x', type: 'web' })
  t.equal(missing.statusCode, 403)
  t.match(missing.headers['www-authenticate'], /error="insufficient_scope", scope="Application.ReadWrite.All"/)
  const { permission, consent_uri: consentUri } = missing.json().error
  t.match(permission, { id: 'Application.ReadWrite.All', kind: 'application', status: 'not_configured' })
  t.match(consentUri, new RegExp(tenantId))
  testApp.caller.principal = { kind: 'local' }
  const recorded = await testApp.manage('GET', `/explain/${missing.json().error.innerError['request-id']}`)
  t.equal(recorded.statusCode, 200, 'the owners can look it up')
  t.match(recorded.body, /insufficient_scope.*management/s)
  testApp.caller.principal = 'token'
  const other = await call('GET', '/applications', await token('assets_read'))
  t.match(other.json().error.permission, { id: 'Application.Read.All', status: 'not_requested' })
})

t.test('V5 a revoked token is refused at once, and on an old view nobody is let in', async (t) => {
  const { call, testApp, token, registration } = await open(t)
  const good = await token('Application.Read.All')
  t.equal((await call('GET', '/applications', good)).statusCode, 200)
  await revoke(testApp.writes, { what: 'application', id: registration.applicationId })
  t.equal((await call('GET', '/applications', good)).statusCode, 401)
  const fresh = await token('Application.Read.All')
  t.equal((await call('GET', '/applications', fresh)).statusCode, 200)
  Object.assign(testApp.view, { isStale: () => true })
  const stale = await call('GET', '/applications', fresh)
  t.equal(stale.statusCode, 503)
  t.ok(Number(stale.headers['retry-after']) > 0)
})

t.test('K7 limits: by address before the token is looked at, by application after', async (t) => {
  const rate = (by: 'address' | 'application', limit: number) => ({
    ...{ name: by, by: [by] },
    algorithm: { kind: 'rate' as const, limit, periodMs: 60_000, burst: limit },
  })
  const byAddress = await open(t, { identity: { limits: { address: rate('address', 3) } } })
  for (let i = 0; i < 3; i += 1) await byAddress.call('GET', '/applications')
  const refused = await byAddress.call('GET', '/applications')
  t.equal(refused.statusCode, 429)
  t.equal(refused.json().error.code, 'TooManyRequests')
  t.ok(refused.headers['retry-after'])
  const byApplication = await open(t, { identity: { limits: { application: rate('application', 3) } } })
  const good = await byApplication.token('Application.Read.All')
  const statuses = []
  for (let i = 0; i < 4; i += 1) statuses.push((await byApplication.call('GET', '/permissions', good)).statusCode)
  t.match(statuses, [403, 403, 429], 'the token request counted too')
  t.equal((await byApplication.call('GET', '/applications')).statusCode, 401, 'untrusted parties use nobody’s budget')
})

t.test(
  'the holder of a token learns what is left of their own limits, without a permission and without a charge',
  async (t) => {
    const policy = (name: string, by: LimitPolicy['by'], more: Partial<LimitPolicy> = {}): [string, LimitPolicy] => [
      name,
      { name, by, algorithm: { kind: 'quota', limit: 10, periodMs: 60_000 }, ...more },
    ]
    const limits = new Map([
      policy('app', ['application']),
      // A unit in a minute: none comes back while this runs.
      policy('tenant', ['tenant'], { algorithm: { kind: 'rate', limit: 60, periodMs: 3_600_000, burst: 6 } }),
      policy('person', ['user']),
      policy('watched', ['application'], { shadow: true }),
      policy('elsewhere', ['application']),
      policy('route', ['application', 'route']),
      ...Array.from({ length: 40 }, (_, at) => policy(`one-of-many-${at}`, ['user'])),
    ])
    const used = [...limits.keys()].filter((name) => name !== 'elsewhere')
    const target = { kind: 'url', origin: 'http://127.0.0.1:9', basePath: '' } as const
    const upstreams = new Map([['things', upstreamSettings('things', { target, position })]])
    const { testApp, token, call, registration, tenantId } = await open(t, {
      ...{ limits, upstreams },
      // More than a route can have, together.
      routes: [limitedRoute('GET /a', used.slice(0, 25)), limitedRoute('GET /b', used.slice(20))],
    })
    const { applicationId } = registration
    const good = await token('assets_read')
    await testApp.limiter.decide(
      ['app', 'tenant', 'route'],
      { applicationId, tenantId, routeId: 'GET /a' },
      undefined,
      4,
    )
    await testApp.limiter.decide(
      ['app', 'route'],
      { applicationId: 'another', tenantId, routeId: 'GET /a' },
      undefined,
      9,
    )
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await call('GET', '/usage/limits', good)
      t.equal(answer.statusCode, 200)
      t.match(
        answer.json().value,
        [
          { name: 'app', by: ['application'], kind: 'quota', limit: 10, periodSeconds: 60, burst: null, remaining: 6 },
          { name: 'tenant', kind: 'rate', limit: 60, burst: 6, remaining: 2 },
        ],
        'and nothing of people, of other applications, of limits on no route, or that are only watched',
      )
      t.equal(answer.json().value.length, 2)
      const { resetSeconds } = answer.json().value[1]
      t.ok(resetSeconds > 180 && resetSeconds <= 240, `four minutes, less what has passed: ${resetSeconds}`)
    }
    const ofRoute = await call('GET', `/usage/limits?route=${encodeURIComponent('GET /a')}`, good)
    t.same(
      ofRoute.json().value.map((one: { name: string; remaining: number }) => [one.name, one.remaining]),
      [
        ['app', 6],
        ['tenant', 2],
        ['route', 6],
      ],
    )
    t.equal((await call('GET', '/usage/limits?route=GET%20/c', good)).json().error.code, 'RouteNotFound')
    t.equal((await call('GET', '/usage/limits?applicationId=another', good)).statusCode, 400)
    t.equal((await call('GET', '/usage/limits')).statusCode, 401)
  },
)

t.test('F2 limits that cannot be looked at are 503', async (t) => {
  const { testApp, token, call } = await open(t)
  const away = () => Promise.reject(new CountersUnavailable('shared limits cannot be looked at now'))
  Object.assign(testApp.limiter, { peek: away })
  Object.assign(testApp.settings, { routes: [limitedRoute('GET /a', ['app'])] })
  const answer = await call('GET', '/usage/limits', await token('assets_read'))
  t.equal(answer.statusCode, 503)
  t.ok(answer.headers['retry-after'])
})
