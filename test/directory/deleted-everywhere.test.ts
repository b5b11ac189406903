// K9. A deleted application: for everything that looks for it, it is not there; it is listed and restored by those who may,
// and by nobody else.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { grantConsent } from '../../src/directory/permissions/permissions.js'
import type { PermissionRef } from '../../src/directory/records.js'
import type { Presented } from '../../src/management/dependencies.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { setRole } from '../../src/users/memberships/memberships.js'
import { atPortal, openWorld, type World } from '../support/models/isolation.js'
import { consentTo, makePerson } from '../support/rooms/delegation.js'
import { type ManagementApp, openManagement, refusal } from '../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))
const local: Presented = { kind: 'local' }

async function deleted(w: World, principal: Presented = local) {
  const { testApp } = w
  testApp.caller.principal = local
  const { id, secret, keyId } = await w.make.application()
  const { publicKey, name } = (await testApp.manage('GET', `/applications/${id}`)).json()
  testApp.caller.principal = principal
  const done = await testApp.manage('DELETE', `/applications/${id}`)
  testApp.caller.principal = local
  if (done.statusCode !== 204) throw new Error(done.body)
  return { id, secret, keyId, publicKey: publicKey as string, name: name as string }
}

/** Bodies that pass the schema, where `{}` does not; `id` is an application. */
const bodies = (id: string, tenantId: string): Readonly<Record<string, unknown>> => ({
  'POST /revocations': { what: 'application', id },
  'POST /consents': { applicationId: id, tenantId, permissions: [{ kind: 'application', id: 'assets_read' }] },
  'POST /consents/withdraw': { applicationId: id, tenantId },
  'POST /explain': { applicationId: id, tenantId, method: 'GET', path: '/api/v2/users' },
  'PATCH /applications/:id': { name: 'another' },
  'PUT /applications/:id/plan': { plan: null },
  'PUT /applications/:id/permissions': { permissions: [] },
  'PUT /applications/:id/owners': { owners: [] },
  'POST /applications/:id/owners': { applicationId: id },
  'POST /applications/:id/federatedCredentials': { name: 'w', issuer: 'https://i.example', subject: 's' },
  'POST /applications/:id/consents': { permissions: 'all' },
  'POST /applications/:id/consentRequests': { permissions: [{ kind: 'application', id: 'assets_read' }], reason: 'x' },
  'POST /applications/:id/planRequest': { plan: 'team' },
  'POST /applications/:id/removeUnused': { permissions: [{ kind: 'application', id: 'assets_read' }] },
  'POST /applications/:id/token': {},
})

/** The answer without what differs between two requests. */
function said(answer: { statusCode: number; body: string }, id: string): string {
  const plain = answer.body
    .replaceAll(id, 'ID')
    .replace(/"(request_?id|trace_?id|timestamp|correlation_id)":"[^"]*"/gi, '')
  return `${answer.statusCode} ${plain.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f-]{27}/g, '')}`
}

t.test('K9: every operation answers about a deleted application as about none', async (t) => {
  const w = await open(t)
  const { testApp, tenantA } = w
  const gone = await deleted(w)
  const unknown = { id: randomUUID(), publicKey: `pcl_pk_${'A'.repeat(22)}`, keyId: randomUUID() }
  let tried = 0
  for (const { method, url } of testApp.managementRoutes) {
    const path = url.replace('/api/v2', '')
    // The ledger tells of it, and the status of the time.
    if (/^\/(deletedApplications|auditEvents|status|keys)/.test(path)) continue
    const ask = (id: string, keyId: string) => {
      const target = path.replace(':keyId', keyId).replace(/:\w+/g, id)
      const query = method === 'GET' && !path.includes(':') ? `?applicationId=${id}` : ''
      const body =
        method === 'GET' || method === 'DELETE' ? undefined : (bodies(id, tenantA)[`${method} ${path}`] ?? {})
      return testApp.manage(method as 'GET', `${target}${query}`, body)
    }
    const first = await ask(unknown.id, unknown.keyId)
    t.equal(said(await ask(gone.id, gone.keyId), gone.id), said(first, unknown.id), `${method} ${path}`)
    if (path.startsWith('/applications/:id'))
      t.ok([404, 400].includes(first.statusCode), `${method} ${path} is refused`)
    tried += 1
  }
  t.ok(tried > 100, `${tried} operations`)
  for (const reference of [gone.publicKey, gone.name]) {
    const read = await testApp.manage('GET', `/applications/${encodeURIComponent(reference)}`)
    t.equal(read.json().error.code, 'ApplicationNotFound')
  }
  const lists = testApp.managementRoutes.filter(({ method, url }) => method === 'GET' && !url.includes(':'))
  for (const { url } of lists) {
    const path = url.replace('/api/v2', '')
    // The ledger tells that it was deleted.
    if (path === '/deletedApplications' || path.startsWith('/audit') || path.startsWith('/activity')) continue
    t.notMatch((await testApp.manage('GET', path)).body, new RegExp(`${gone.id}|${gone.publicKey}|${gone.name}`), path)
  }
})

t.test('every protocol endpoint answers it as an unknown client', async (t) => {
  const w = await open(t)
  const { testApp, tenantA } = w
  const gone = await deleted(w)
  const unknown = randomUUID()
  const back = 'https://diary.test/back'
  const forms: [string, Record<string, string>][] = [
    ['/token', { grant_type: 'client_credentials' }],
    [
      '/token',
      { grant_type: 'authorization_code', code: 'pcl_ac_x', redirect_uri: back, code_verifier: 'v'.repeat(43) },
    ],
    ['/token', { grant_type: 'refresh_token', refresh_token: 'pcl_rt_x' }],
    ['/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'pcl_dc_x' }],
    ['/device_authorization', { scope: 'openid' }],
    ['/introspect', { token: 'x' }],
    ['/revoke', { token: 'x' }],
  ]
  const paths = await endpointsOf(testApp, tenantA)
  for (const [path, form] of forms) {
    const ask = (id: string) => testApp.post(paths(path), { ...form, client_id: id, client_secret: gone.secret })
    const first = await ask(unknown)
    t.equal(said(await ask(gone.id), gone.id), said(first, unknown), `${path} ${form['grant_type'] ?? ''}`)
    t.ok(first.statusCode >= 400, `${path} ${first.statusCode}`)
  }
  const query = (id: string) =>
    new URLSearchParams({ client_id: id, response_type: 'code', redirect_uri: back, scope: 'openid', state: 's' })
  const follow = (path: string, id: string) => testApp.ask({ method: 'GET', url: `${paths(path)}?${query(id)}` })
  for (const path of ['/authorize', '/adminconsent', '/logout']) {
    const [one, other] = [await follow(path, gone.id), await follow(path, unknown)]
    t.equal(one.statusCode, other.statusCode, path)
    t.equal(location(one.headers['location'], gone.id), location(other.headers['location'], unknown), path)
  }
})

const location = (header: unknown, id: string) =>
  String(header)
    .replaceAll(id, 'ID')
    .replace(/[\w-]{40,}/g, '')

async function endpointsOf(testApp: ManagementApp, tenantId: string) {
  const { body } = await testApp.ask({ method: 'GET', url: `/${tenantId}/v2.0/.well-known/openid-configuration` })
  const found = body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : {}
  const known = Object.values(found).filter((one): one is string => typeof one === 'string' && one.startsWith('https'))
  return (path: string) => {
    const url = known.find((one) => one.endsWith(path))
    return url === undefined ? `/oauth2/v2.0${path}` : new URL(url).pathname
  }
}

const code = (answer: Parameters<typeof refusal>[0]) => `${refusal(answer).status} ${refusal(answer).code}`

const sender =
  ({ testApp }: World) =>
  async (principal: Presented, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET', path: string, body?: unknown) => {
    testApp.caller.principal = principal
    const answer = await testApp.manage(method, path, body)
    testApp.caller.principal = local
    return answer
  }

/** Of tenant A, owned by its developer: what an administrator of it granted, and what a person allowed. */
async function holding(
  w: World,
  held: { granted?: readonly PermissionRef[]; allowed?: readonly PermissionRef[] },
): Promise<string> {
  const { testApp, tenantA, a } = w
  const { id } = await w.make.application()
  const { granted = [], allowed = [] } = held
  const listed = { permissions: [...granted, ...allowed] }
  testApp.caller.principal = local
  await testApp.manage('DELETE', `/applications/${id}/consents/${tenantA}`)
  const { statusCode, body } = await testApp.manage('PUT', `/applications/${id}/permissions`, listed)
  if (statusCode !== 200) throw new Error(body)
  if (granted.length > 0) await grantConsent(testApp.writes, id, { tenantId: tenantA, permissions: granted, by: 'op' })
  const whose = { applicationId: id, tenantId: tenantA, userId: a.owner }
  for (const { id: permission } of allowed) await consentTo(testApp.deps, { ...whose, permissions: [permission] })
  return id
}

t.test('nobody washes off what an application held by deleting and restoring it', async (t) => {
  const w = await open(t)
  const { testApp, a, tenantA } = w
  const as = (role: 'developer' | 'administrator' | 'owner') => atPortal(a[role], tenantA)
  const send = sender(w)
  const own = (id: string, kind: 'application' | 'delegated' = 'application') => ({
    ...{ kind, resource: testApp.catalogue.own.id, id },
  })
  const restore = async (who: Presented, id: string) => {
    const path = `/deletedApplications/${id}`
    const { mayRestore, restoreRefusal } = (await send(who, 'GET', path)).json()
    const answer = await send(who, 'POST', `${path}/restore`, { credentials: true })
    t.equal(mayRestore, answer.statusCode === 200, 'the answer says beforehand whether')
    t.same(restoreRefusal === null ? 200 : restoreRefusal.code, answer.statusCode === 200 ? 200 : refusal(answer).code)
    return answer.statusCode === 200 ? 'restored' : code(answer)
  }
  const gone = async (who: Presented, id: string) => {
    t.equal((await send(who, 'DELETE', `/applications/${id}`)).statusCode, 204)
    return id
  }
  const cases: [string, Parameters<typeof holding>[1], 'administrator' | 'owner'][] = [
    ['granted', { granted: [own('Consent.ReadWrite.All', 'delegated')] }, 'administrator'],
    ['allowed by a person', { allowed: [own('User.Read.All', 'delegated')] }, 'administrator'],
    ['changes applications', { granted: [own('Application.ReadWrite.All', 'delegated')] }, 'administrator'],
  ]
  for (const [said, held, restorer] of cases) {
    const id = await holding(w, held)
    const before = await send(as('developer'), 'POST', `/applications/${id}/secrets`, {})
    t.match(code(before), '403 HoldsMore', `${said}: the developer could not equip it`)
    await gone(as('developer'), id)
    t.match(await restore(as('developer'), id), '403 HoldsMore', `${said}: nor bring it back`)
    t.equal(await restore(as(restorer), id), 'restored', said)
  }
  const plain = await gone(as('developer'), await holding(w, { granted: [own('assets_read')] }))
  t.equal(await restore(as('developer'), plain), 'restored', 'what they could have equipped')

  const trusted = await holding(w, {})
  await send(local, 'PATCH', `/applications/${trusted}`, { publisher: 'Fabrikam', verified: true })
  await gone(as('developer'), trusted)
  t.match(await restore(as('developer'), trusted), '403 RoleRequired', 'a verified publisher')
  t.equal(await restore(as('administrator'), trusted), 'restored')
})

t.test('what an operator deleted comes back by operators only', async (t) => {
  const w = await open(t)
  const { a, tenantA, testApp } = w
  const send = sender(w)
  const own = await deleted(w)
  const other = await deleted(w)
  for (const role of ['administrator', 'owner'] as const) {
    const who = atPortal(a[role], tenantA)
    t.match((await send(who, 'GET', `/deletedApplications/${own.id}`)).json(), {
      ...{ deletedBy: '', mayDecide: false, mayRestore: false, restoreRefusal: { code: 'OperatorRequired' } },
    })
    t.match(code(await send(who, 'POST', `/deletedApplications/${own.id}/restore`, {})), '403 OperatorRequired')
    t.match(code(await send(who, 'DELETE', `/deletedApplications/${own.id}`)), '403 OperatorRequired')
  }
  const operator = await makePerson(testApp.deps, tenantA, { role: 'developer' })
  await setOperator(testApp.deps.users, operator.userId, true)
  const path = `/deletedApplications/${own.id}/restore`
  t.equal((await send(atPortal(operator.userId, tenantA), 'POST', path, {})).statusCode, 200, 'an operator')
  t.equal((await send(local, 'POST', `/deletedApplications/${other.id}/restore`, {})).statusCode, 200, 'the socket')
})

t.test('who deleted it as an administrator decides no more when they are none', async (t) => {
  const w = await open(t)
  const { testApp, tenantA } = w
  const send = sender(w)
  const { userId } = await makePerson(testApp.deps, tenantA, { role: 'administrator' })
  const gone = await deleted(w, atPortal(userId, tenantA))
  await setRole(testApp.deps.users, { userId, tenantId: tenantA, role: 'developer' })
  const path = `/deletedApplications/${gone.id}`
  t.match(code(await send(atPortal(userId, tenantA), 'POST', `${path}/restore`, {})), '403 RoleRequired')
  t.match(code(await send(atPortal(userId, tenantA), 'DELETE', path)), '403 RoleRequired')
})

t.test('who deleted it takes that back, administrators too, others do not', async (t) => {
  const w = await open(t)
  const { testApp, a, tenantA } = w
  const as = (role: 'member' | 'developer' | 'administrator' | 'owner') => atPortal(a[role], tenantA)
  const other = await makePerson(testApp.deps, tenantA, { role: 'developer' })
  const send = sender(w)
  const own = await deleted(w, as('developer'))
  const listed = await send(as('developer'), 'GET', '/deletedApplications')
  t.match(listed.json().value, [{ applicationId: own.id, deletedBy: a.developer, mayDecide: true }])
  t.match((await send(atPortal(other.userId, tenantA), 'GET', '/deletedApplications')).json().value, [
    { applicationId: own.id, mayDecide: false },
  ])
  for (const [method, path] of [
    ['POST', `/deletedApplications/${own.id}/restore`],
    ['DELETE', `/deletedApplications/${own.id}`],
  ] as const) {
    const body = method === 'POST' ? {} : undefined
    t.match(code(await send(atPortal(other.userId, tenantA), method, path, body)), '403 RoleRequired', method)
    t.match(code(await send(atPortal(w.ownerOfB, w.tenantB), method, path, body)), /404 ApplicationNotFound/, method)
    t.match(code(await send(as('member'), method, path, body)), /403/, method)
  }
  const consents = { consents: true }
  const path = `/deletedApplications/${own.id}/restore`
  t.match(code(await send(as('developer'), 'POST', path, consents)), /403 ConsentNotAllowed/, 'consent is not theirs')
  t.match((await send(as('developer'), 'GET', `/deletedApplications/${own.publicKey}`)).json(), {
    credentials: 1,
    consents: 2,
  })
  t.match((await send(as('developer'), 'POST', path, {})).json(), {
    applicationId: own.id,
    secrets: [],
    owners: [a.developer],
  })
  t.match(code(await send(as('developer'), 'POST', path, {})), /404/, 'once')

  const theirs = await deleted(w, as('owner'))
  const restored = await send(as('administrator'), 'POST', `/deletedApplications/${theirs.id}/restore`, {
    ...{ credentials: true, consents: true },
  })
  t.match(restored.json(), { secrets: [{ keyId: theirs.keyId }], consents: [{ permissions: [{}, {}] }] })
  const gone = await deleted(w, as('administrator'))
  t.match(code(await send(as('developer'), 'DELETE', `/deletedApplications/${gone.id}`)), /403/, 'not theirs')
  t.equal((await send(as('owner'), 'DELETE', `/deletedApplications/${gone.id}`)).statusCode, 204)
  t.equal((await send(local, 'GET', `/deletedApplications/${gone.id}`)).statusCode, 404)
})

t.test('the list has pages', async (t) => {
  const w = await open(t)
  const ids = new Set([(await deleted(w)).id, (await deleted(w)).id, (await deleted(w)).id])
  const first = (await w.testApp.manage('GET', '/deletedApplications?$top=2')).json()
  const second = (await w.testApp.manage('GET', first.nextLink.replace('/api/v2', ''))).json()
  t.equal(second.nextLink, undefined)
  t.same(new Set([...first.value, ...second.value].map(({ applicationId }) => applicationId)), ids)
})
