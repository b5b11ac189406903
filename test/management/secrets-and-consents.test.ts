// Secrets, permissions, consents and operator tokens over the management API.

import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { readToken } from '../support/rooms/identity.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const nobody = '00000000-0000-4000-8000-000000000000'
const tokenPath = '/api/v2/oauth2/v2.0/token'
const read = { kind: 'application', id: 'assets_read' }
const create = { kind: 'application', id: 'assets_create' }
const dayMs = 86_400_000

t.test('POST …/secrets adds a secret, which works beside the first', async (t) => {
  const { manage, id, clientSecret, tokenWith, clock } = await open(t)
  const response = await manage('POST', `/applications/${id}/secrets`, { label: 'second', expiresInDays: 7 })
  t.equal(response.statusCode, 201)
  t.same(Object.keys(response.json()).sort(), ['clientSecret', 'endsAt', 'keyId'])
  t.equal(response.json().endsAt, new Date(clock.nowMs + 7 * dayMs).toISOString())
  t.equal((await tokenWith(clientSecret)).statusCode, 200)
  t.equal((await tokenWith(response.json().clientSecret)).statusCode, 200)
  const shown = await manage('GET', `/applications/${id}`)
  t.equal(shown.json().secrets.length, 2)
  t.notOk(shown.body.includes(response.json().clientSecret))
  t.equal((await manage('POST', `/applications/${id}/secrets`)).statusCode, 201, 'everything has a default')
})

t.test('K3 rotate with an overlap: both work until it is over, then only the new one', async (t) => {
  const { manage, id, clientSecret, tokenWith, clock } = await open(t)
  const next = (await manage('POST', `/applications/${id}/secrets`, { rotate: true, overlapSeconds: 3600 })).json()
  const now = (await tokenWith(clientSecret)).json()
  t.ok(now.expires_in <= 3600, 'a token does not outlive its secret')
  t.equal((await tokenWith(next.clientSecret)).statusCode, 200)
  clock.nowMs += 3_600_000
  t.equal((await tokenWith(clientSecret)).statusCode, 401)
  t.equal((await tokenWith(next.clientSecret)).statusCode, 200)
})

t.test('K3 rotate without an overlap: the old secret and its tokens have ended with the answer', async (t) => {
  const { manage, id, clientSecret, tokenWith, refusedFor } = await open(t)
  const token = (await tokenWith(clientSecret)).json().access_token
  t.equal(refusedFor(token), undefined)
  const next = (await manage('POST', `/applications/${id}/secrets`, { rotate: true })).json()
  t.equal(refusedFor(token), 'credential_revoked')
  t.equal((await tokenWith(clientSecret)).statusCode, 401)
  const fresh = await tokenWith(next.clientSecret)
  t.equal(refusedFor(fresh.json().access_token), undefined)
})

t.test('K3 20 rotations in parallel all answer, one of the secrets works, the others do not', async (t) => {
  const { manage, id, tokenWith } = await open(t)
  const rotations = await Promise.all(
    Array.from({ length: 20 }, () =>
      manage('POST', `/applications/${id}/secrets`, { rotate: true, overlapSeconds: 0 }),
    ),
  )
  t.same(new Set(rotations.map((each) => each.statusCode)), new Set([201]))
  const works = []
  for (const rotation of rotations) works.push((await tokenWith(rotation.json().clientSecret)).statusCode)
  t.equal(works.filter((status) => status === 200).length, 1)
  t.equal(works.filter((status) => status === 401).length, 19)
})

t.test('DELETE …/secrets/{keyId} ends the secret and its tokens, again and again', async (t) => {
  const { manage, id, keyId, clientSecret, tokenWith, refusedFor } = await open(t)
  const token = (await tokenWith(clientSecret)).json().access_token
  for (let i = 0; i < 2; i += 1) {
    const response = await manage('DELETE', `/applications/${id}/secrets/${keyId}`)
    t.same([response.statusCode, response.body], [204, ''])
  }
  t.equal(refusedFor(token), 'credential_revoked')
  t.equal((await tokenWith(clientSecret)).statusCode, 401)
})

t.test('U2 a secret is not reached through another application', async (t) => {
  const { manage, keyId, clientSecret, tokenWith } = await open(t)
  const other = (await manage('POST', '/applications', { name: 'other', type: 'web' })).json().applicationId
  for (const [app, key] of [
    [other, keyId],
    [nobody, keyId],
    [other, 'unknown'],
    [other, "' or 1=1"],
  ]) {
    t.equal((await manage('DELETE', `/applications/${app}/secrets/${encodeURIComponent(String(key))}`)).statusCode, 404)
  }
  t.equal((await tokenWith(clientSecret)).statusCode, 200)
})

t.test('secrets: refused bodies, natives, too many', async (t) => {
  const { manage, id } = await open(t)
  const add = (body: unknown, app = id) => manage('POST', `/applications/${app}/secrets`, body)
  for (const body of [
    { expiresInDays: 731 },
    { expiresInDays: 0 },
    { label: 5 },
    { rotate: 'yes' },
    { overlapSeconds: -1, rotate: true },
    { overlapSeconds: 2_592_001, rotate: true },
    { secret: 'chosen' },
    { keyId: 'chosen' },
  ]) {
    t.match(refusal(await add(body)), { status: 400, code: 'InvalidRequest' })
  }
  t.match(refusal(await add({ overlapSeconds: 5 })), { status: 400, target: 'overlapSeconds' })
  t.match(refusal(await add({ label: 'a\u0000' })), { status: 400, code: 'InvalidName', target: 'label' })
  t.match(refusal(await add({}, nobody)), { status: 404, code: 'ApplicationNotFound' })
  const native = (await manage('POST', '/applications', { name: 'native', type: 'native' })).json().applicationId
  t.match(refusal(await add({}, native)), { status: 400, code: 'NativeApplication' })
  for (let i = 0; i < 9; i += 1) t.equal((await add({})).statusCode, 201)
  t.match(refusal(await add({})), { status: 409, code: 'TooManySecrets' })
})

t.test('PUT …/permissions replaces what is configured; what is gone is gone from consents and tokens', async (t) => {
  const { manage, id, clientSecret, tokenWith, refusedFor } = await open(t)
  const put = (permissions: unknown) => manage('PUT', `/applications/${id}/permissions`, { permissions })
  const token = (await tokenWith(clientSecret)).json().access_token
  const more = await put([read, create])
  t.same(
    more.json().permissions.map((each: { id: string }) => each.id),
    ['assets_create', 'assets_read'],
  )
  t.equal(refusedFor(token), undefined, 'more takes nothing away')
  const less = await put([create])
  t.same(less.json().consents[0].permissions, [])
  t.equal(refusedFor(token), 'application_revoked')
  t.equal((await tokenWith(clientSecret)).json().error, 'invalid_scope')
})

t.test('permissions: refused bodies leave everything as it was', async (t) => {
  const { manage, id } = await open(t)
  const put = (body: unknown, app = id) => manage('PUT', `/applications/${app}/permissions`, body)
  for (const body of [
    undefined,
    {},
    { permissions: 'all' },
    { permissions: ['assets_read'] },
    { permissions: [{ ...read, kind: 'both' }] },
    { permissions: [], extra: 1 },
    { permissions: Array.from({ length: 201 }, () => read) },
  ]) {
    t.match(refusal(await put(body)), { status: 400, code: 'InvalidRequest' })
  }
  t.match(refusal(await put({ permissions: [read, { kind: 'application', id: 'no' }] })), {
    status: 400,
    code: 'UnknownPermission',
  })
  t.match(refusal(await put({ permissions: [read] }, nobody)), { status: 404, code: 'ApplicationNotFound' })
  t.match((await manage('GET', `/applications/${id}`)).json().permissions, [{ id: 'assets_read' }])
})

t.test('POST …/consents consents to what is configured, all of it by default', async (t) => {
  const { manage, id } = await open(t)
  await manage('PUT', `/applications/${id}/permissions`, { permissions: [read, create] })
  const consent = (body?: unknown) => manage('POST', `/applications/${id}/consents`, body)
  const ids = (response: Awaited<ReturnType<typeof consent>>) =>
    response.json().consents[0].permissions.map((each: { id: string }) => each.id)
  t.same(ids(await consent({ permissions: [create] })), ['assets_create', 'assets_read'])
  t.same(ids(await consent({ permissions: 'all' })), ['assets_create', 'assets_read'])
  t.same(ids(await consent()), ['assets_create', 'assets_read'])
})

t.test('consents: refused when not configured, not installable, not well-formed', async (t) => {
  const { manage, id, writes } = await open(t)
  const consent = (body: unknown, app = id) => manage('POST', `/applications/${app}/consents`, body)
  const { tenantId } = await createTenant(writes, { name: 'Fabrikam' })
  t.match(refusal(await consent({ permissions: [create] })), { status: 400, code: 'PermissionNotConfigured' })
  t.match(refusal(await consent({ permissions: [{ kind: 'delegated', id: 'assets_read' }] })), {
    status: 400,
    code: 'PermissionNotConfigured',
  })
  t.match(refusal(await consent({ permissions: [] })), { status: 400, code: 'PermissionNotConfigured' })
  t.match(refusal(await consent({ tenantId })), { status: 400, code: 'NotInstallable', target: 'tenantId' })
  t.match(refusal(await consent({ tenantId: nobody })), { status: 404, code: 'TenantNotFound' })
  t.match(refusal(await consent({}, nobody)), { status: 404, code: 'ApplicationNotFound' })
  for (const body of [{ permissions: 'some' }, { permissions: null }, { tenantId: 5 }, { by: 'me' }]) {
    t.match(refusal(await consent(body)), { status: 400, code: 'InvalidRequest' })
  }
})

t.test('C9 DELETE …/consents/{tenantId} withdraws all of a tenant, and the tokens', async (t) => {
  const { manage, id, tenantId, clientSecret, tokenWith, refusedFor } = await open(t)
  const token = (await tokenWith(clientSecret)).json().access_token
  t.equal((await manage('DELETE', `/applications/${id}/consents/${nobody}`)).statusCode, 404)
  t.equal(refusedFor(token), undefined)
  t.equal((await manage('DELETE', `/applications/${id}/consents/${tenantId}`)).statusCode, 204)
  t.equal(refusedFor(token), 'application_revoked')
  t.match((await tokenWith(clientSecret)).json(), { error: 'invalid_scope', suberror: 'admin_consent_required' })
})

t.test('POST …/token gives the operator a token of the application, by the rules of client_credentials', async (t) => {
  const { manage, id, tenantId } = await open(t)
  const token = (body?: unknown, app = id) => manage('POST', `/applications/${app}/token`, body)
  const response = await token()
  t.equal(response.statusCode, 200)
  t.match(response.json(), { token_type: 'Bearer', expires_in: 3599 })
  t.match(readToken(response.json().access_token).claims, {
    sub: id,
    cid: 'local',
    tid: tenantId,
    roles: ['assets_read'],
  })
  t.equal((await token({ scope: 'assets_read', tenantId })).statusCode, 200)
  t.equal((await token(undefined, 'demo')).statusCode, 200, 'the application by its name')

  t.match(refusal(await token({ scope: 'assets_delete' })), {
    status: 400,
    code: 'InvalidScope',
    message: /assets_delete/,
  })
  t.match(refusal(await token({ tenantId: nobody })), { status: 400, code: 'UnauthorizedClient' })
  t.match(refusal(await token({ tenantId: 'x' })), { status: 400, code: 'InvalidRequest' })
  t.match(refusal(await token({ grant_type: 'password' })), { status: 400, code: 'InvalidRequest' })
  t.match(refusal(await token({}, nobody)), { status: 404, code: 'ApplicationNotFound' })
  await manage('DELETE', `/applications/${id}/consents/${tenantId}`)
  const refused = await token({ scope: 'default' })
  t.match(refused.json(), {
    error: { code: 'InvalidScope', suberror: 'admin_consent_required', consent_uri: /^https:/ },
  })
  await manage('PATCH', `/applications/${id}`, { state: 'disabled' })
  t.match(refusal(await token()), { status: 400, code: 'UnauthorizedClient' })
})

async function open(t: Parameters<typeof openManagement>[0]) {
  const testApp = await openManagement(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  const body = { name: 'demo', type: 'web', permissions: [read], consent: true }
  const { applicationId: id, clientSecret, secret } = (await testApp.manage('POST', '/applications', body)).json()
  const tokenWith = (secret: string) =>
    testApp.post(tokenPath, {
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
      scope: 'default',
    })
  const refusedFor = (token: string) => {
    const { claims } = readToken(token)
    const { jti, cid, tid, seq } = claims as { jti: string; cid: string; tid: string; seq: number }
    return testApp.view.refusal({ jti, credentialId: cid, applicationId: id, tenantId: tid, seq }, testApp.clock.nowMs)
  }
  return { ...testApp, tenantId, id, clientSecret, keyId: secret.keyId, tokenWith, refusedFor }
}
