// The ledger as the operator meets it: every write leaves its event, the lists find it, and what cannot be written down
// is not done.

import t from 'tap'
import { listActivity } from '../../src/storage/sql/ledger/activity.js'
import { readLedgerHead } from '../../src/storage/sql/ledger/ledger-head.js'
import { readApplications } from '../../src/storage/sql/registrations/applications.js'
import { listTenants } from '../../src/storage/sql/registrations/tenants.js'
import { listRevocations } from '../../src/storage/sql/revocation/revocations.js'
import { StoreUnavailable } from '../../src/storage/sql/store.js'
import { revokePath, tokenPath } from '../support/rooms/identity.js'
import { type ManagementApp, openManagement, refusal } from '../support/rooms/management.js'

t.setTimeout(60_000)
const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

interface Event {
  position: number
  at: string
  event: string
  actor: unknown
  tenantId: string | null
  applicationId: string | null
  requestId: string | null
  details: Record<string, unknown>
  mac: string
}

async function events({ manage }: ManagementApp, query = ''): Promise<Event[]> {
  const response = await manage('GET', `/auditEvents${query}`)
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json().value
}

/** The events that `work` leaves, oldest first. */
async function left(testApp: ManagementApp, work: () => Promise<unknown>): Promise<Event[]> {
  const before = (await readLedgerHead(testApp.store.reader)).position
  await work()
  return (await events(testApp)).filter(({ position }) => position > before).reverse()
}

t.test('X6 each write of the operator is in the ledger with who, whom, what changed, and the request', async (t) => {
  const testApp = await openManagement(t)
  const { manage } = testApp
  const say = (found: Event[]) => found.map(({ event }) => event)
  const tenantId = (await manage('POST', '/tenants', { name: 'Contoso' })).json().tenantId
  const permissions = [{ kind: 'application', id: 'User.Read.All' }]
  let created: { applicationId: string; clientSecret: string; secret: { keyId: string } } | undefined
  const registered = await left(testApp, async () => {
    const body = { name: 'audited', type: 'web', tenantId, permissions, consent: true }
    created = (await manage('POST', '/applications', body)).json()
  })
  t.same(say(registered), ['application.registered', 'secret.created', 'admin-consent.granted'])
  const { applicationId = '', clientSecret = '', secret } = created ?? {}
  for (const event of registered) {
    t.match(event, { actor: { kind: 'operator' }, applicationId, tenantId, requestId: guid })
  }
  t.equal(new Set(registered.map(({ requestId }) => requestId)).size, 1, 'one request')
  t.same(registered[1]?.details.keyId, secret?.keyId)
  t.match(registered[2]?.details.added, [{ kind: 'application', id: 'User.Read.All' }])

  const path = `/applications/${applicationId}`
  const redirectUris = ['https://a.test/cb']
  const changed = await left(testApp, () => manage('PATCH', path, { name: 'renamed', redirectUris }))
  t.match(changed, [
    {
      event: 'application.changed',
      details: { name: { before: 'audited', after: 'renamed' }, redirectUris: { added: redirectUris, removed: [] } },
    },
  ])
  t.same(await left(testApp, () => manage('PATCH', path, { name: 'renamed' })), [], 'nothing changed')
  t.same(say(await left(testApp, () => manage('PATCH', path, { state: 'disabled' }))), ['application.disabled'])
  t.same(say(await left(testApp, () => manage('PATCH', path, { state: 'enabled' }))), ['application.enabled'])
  t.same(say(await left(testApp, () => manage('POST', `${path}/secrets`, { label: 'more' }))), ['secret.created'])
  t.same(say(await left(testApp, () => manage('POST', `${path}/secrets`, { rotate: true }))), [
    ...['secret.created', 'secret.ended', 'secret.ended'],
  ])
  const less = await left(testApp, () => manage('PUT', `${path}/permissions`, { permissions: [] }))
  t.match(less, [
    { event: 'application.permissions-configured', details: { before: [{ id: 'User.Read.All' }], after: [] } },
    { event: 'admin-consent.withdrawn', details: { removed: [{ id: 'User.Read.All' }] } },
  ])
  await manage('PUT', `${path}/permissions`, { permissions })
  t.same(say(await left(testApp, () => manage('POST', `${path}/consents`, {}))), ['admin-consent.granted'])
  t.same(say(await left(testApp, () => manage('POST', `${path}/token`, {}))), ['token.issued-to-operator'])
  t.match(say(await left(testApp, () => manage('DELETE', `${path}/consents/${tenantId}`))), ['admin-consent.withdrawn'])
  const revoke = (body: unknown) => left(testApp, () => manage('POST', '/revocations', body))
  t.match(await revoke({ what: 'application', id: applicationId }), [{ event: 'application.revoked', applicationId }])
  t.match(await revoke({ what: 'tenant', id: tenantId }), [{ event: 'tenant.revoked', tenantId }])
  const jti = '7a1c1c3e-0000-4000-8000-000000000009'
  t.match(await revoke({ what: 'token', id: jti }), [{ event: 'token.revoked', details: { id: jti } }])
  t.same(say(await left(testApp, () => manage('PATCH', `/tenants/${tenantId}`, { state: 'disabled' }))), [
    'tenant.disabled',
  ])
  t.same(say(await left(testApp, () => manage('PATCH', `/tenants/${tenantId}`, { state: 'disabled' }))), [])
  t.same(say(await left(testApp, () => manage('PATCH', `/tenants/${tenantId}`, { state: 'enabled' }))), [
    'tenant.enabled',
  ])
  const rotated = await left(testApp, () => manage('POST', '/keys/rotate', { purpose: 'token', immediately: true }))
  t.same([...new Set(say(rotated))].sort(), ['key.activated', 'key.added', 'key.retired'])
  t.match(rotated[0], { actor: { kind: 'operator' }, requestId: guid, details: { purpose: 'token' } })
  const kid = String(rotated.find(({ event }) => event === 'key.retired')?.details.kid)
  t.match(await left(testApp, () => manage('DELETE', `/keys/${kid}`)), [{ event: 'key.removed', details: { kid } }])
  const whole = (await manage('GET', '/auditEvents?$top=200')).body
  t.notMatch(whole, clientSecret)
  t.notMatch(whole, /pcl_sk_|"d":|PRIVATE/, 'no secret and no private key')
  t.match((await manage('GET', '/auditEvents/verification')).json(), { clean: true, problems: [] })
})

t.test(
  'X6 a client that revokes its token is the actor; a failed authentication is noted with its address',
  async (t) => {
    const testApp = await openManagement(t)
    const { registration, secret } = await testApp.registerDemo()
    const { applicationId } = registration
    const client = { client_id: applicationId, client_secret: secret }
    const token = (
      await testApp.post(tokenPath, { ...client, grant_type: 'client_credentials', scope: 'assets_read' })
    ).json().access_token
    const [revoked] = await left(testApp, () => testApp.post(revokePath, { ...client, token }))
    t.match(revoked, { event: 'token.revoked', actor: { kind: 'application', applicationId }, applicationId })
    t.match(revoked, { tenantId: registration.tenantId, requestId: guid })
    t.ok((revoked as unknown as { address: string }).address)

    const wrong = { ...client, client_secret: 'pcl_sk_wrong' }
    await testApp.post(tokenPath, { ...wrong, grant_type: 'client_credentials' })
    await testApp.post(tokenPath, { client_id: secret, client_secret: 'x', grant_type: 'client_credentials' })
    await testApp.deps.activity.flush()
    const noted = (await testApp.manage('GET', '/activity')).json().value
    t.equal(noted.length, 2)
    const known = noted.find((entry: { applicationId: string | null }) => entry.applicationId !== null)
    t.match(known, { event: 'client.authentication-failed', applicationId, details: { reason: 'secret_wrong' } })
    t.match(known, { requestId: guid, address: /./ })
    t.notMatch(JSON.stringify(noted), secret, 'also when it stood in the wrong place')
    t.notMatch(JSON.stringify(noted), 'pcl_sk_wrong')
    t.equal((await testApp.manage('GET', `/activity?applicationId=${applicationId}`)).json().value.length, 1)
    t.equal((await listActivity(testApp.store.reader, { filter: {}, limit: 9 })).length, 2)
  },
)

t.test('the list is found by tenant, application, event and time, and read in pages both ways', async (t) => {
  const testApp = await openManagement(t)
  const { manage, clock } = testApp
  const names = ['a', 'b', 'c', 'd', 'e']
  const tenants: string[] = []
  for (const name of names) {
    clock.nowMs += 1_000
    tenants.push((await manage('POST', '/tenants', { name })).json().tenantId)
  }
  const all = await events(testApp, '?event=tenant.created')
  t.same(
    all.map(({ details }) => details.name),
    [...names].reverse(),
  )
  t.equal((await events(testApp, `?tenantId=${tenants[2]?.toUpperCase()}`)).length, 1)
  t.same(await events(testApp, '?userId=nobody'), [])
  const [from, to] = [all[3]?.at, all[1]?.at]
  t.same(
    (await events(testApp, `?from=${from}&to=${to}`)).map(({ details }) => details.name),
    ['c', 'b'],
    'from is included, to is not',
  )
  t.equal((await events(testApp, '?from=2999-01-01')).length, 0)

  for (const order of ['newest', 'oldest']) {
    const listed: unknown[] = []
    let path: string | undefined = `/auditEvents?$top=2&event=tenant.created&order=${order}`
    while (path !== undefined) {
      const page: { value: Event[]; nextLink?: string } = (await manage('GET', path)).json()
      listed.push(...page.value.map(({ details }) => details.name))
      path = page.nextLink?.replace('/api/v2', '')
    }
    t.same(listed, order === 'oldest' ? names : [...names].reverse())
  }
  const link = (await manage('GET', '/auditEvents?$top=1')).json().nextLink
  const skiptoken = new URL(link, 'http://localhost').searchParams.get('$skiptoken')
  for (const query of [
    '/auditEvents?from=yesterday',
    '/auditEvents?to=2026-13-40',
    '/auditEvents?order=random',
    '/auditEvents?unknown=1',
    '/auditEvents?$top=0',
    `/activity?$skiptoken=${skiptoken}`,
    `/applications?$skiptoken=${skiptoken}`,
    '/auditEvents?$skiptoken=eyJ.x',
    '/auditEvents?search=x',
  ]) {
    t.match(refusal(await manage('GET', query)), { status: 400, code: 'InvalidRequest' }, query)
  }
  testApp.caller.principal = undefined
  for (const path of [
    '/auditEvents',
    '/auditEvents/verification',
    '/activity',
    '/auditEvents/server',
    '/activity/server',
  ]) {
    t.equal((await manage('GET', path)).statusCode, 403, `${path} is for those who may manage`)
  }
  t.equal((await manage('POST', '/auditEvents/verification', { checkpoints: [] })).statusCode, 403)
})

t.test('a tampered row is shown as it is, and the verification says where', async (t) => {
  const testApp = await openManagement(t)
  await testApp.manage('POST', '/tenants', { name: 'a' })
  const [last] = await events(testApp)
  const position = last?.position ?? 0
  await testApp.store.transaction(async (tx) => {
    await tx.updateTable('ledger').set({ details: 'no json', actor: '{' }).where('position', '=', position).execute()
  })
  t.match((await events(testApp))[0], { details: 'no json', actor: '{' })
  const verified = (await testApp.manage('GET', '/auditEvents/verification')).json()
  t.match(verified, { clean: false, problems: [{ kind: 'changed', position }] })
  const checked = await testApp.manage('POST', '/auditEvents/verification', { checkpoints: ['nonsense'] })
  t.match(checked.json(), { clean: false, checkpoints: 0, problems: [{ kind: 'checkpoint-forged', line: 1 }, {}] })
  const parts = [(await testApp.manage('POST', '/auditEvents/verification', { most: 1 })).json()]
  while (parts.at(-1).next !== undefined) {
    const body = { most: 1, from: parts.at(-1).next }
    parts.push((await testApp.manage('POST', '/auditEvents/verification', body)).json())
  }
  t.same(
    parts.map(({ reached }) => reached),
    Array.from({ length: position }, (_, i) => i + 1),
  )
  t.same(
    parts.flatMap(({ problems }) => problems),
    verified.problems,
  )
  const bodies = [
    { checkpoints: 'x' },
    { checkpoints: ['x'.repeat(2_000)] },
    { most: 0 },
    { from: '' },
    { from: 'x.y' },
  ]
  for (const body of bodies) {
    t.match(refusal(await testApp.manage('POST', '/auditEvents/verification', body)), { status: 400 })
  }
})

t.test('X6 while the ledger cannot be written, what it must tell of fails with 503 and is not done', async (t) => {
  const testApp = await openManagement(t)
  const { manage, writes, store } = testApp
  const { registration, secret, keyId } = await testApp.registerDemo()
  const path = `/applications/${registration.applicationId}`
  const state = async () =>
    JSON.stringify([
      await store.snapshot((tx) => readApplications(tx, 'id', registration.applicationId)),
      await listTenants(store.reader, 100),
      await listRevocations(store.reader, 0),
      await readLedgerHead(store.reader),
      testApp.feed.seq,
      testApp.keyring.describe(),
    ])
  const token = (
    await testApp.post(tokenPath, {
      ...{ grant_type: 'client_credentials', client_id: registration.applicationId, client_secret: secret },
      scope: 'assets_read',
    })
  ).json().access_token
  await testApp.directory.flush()
  const before = await state()
  const { ledger } = writes
  writes.ledger = {
    async append(tx, event) {
      await ledger.append(tx, event)
      throw new StoreUnavailable('the disk is full')
    },
  }
  testApp.deps.writes.ledger = writes.ledger
  const attempts: ['POST' | 'PUT' | 'PATCH' | 'DELETE', string, unknown?][] = [
    ['POST', '/tenants', { name: 'x' }],
    ['PATCH', `/tenants/${registration.tenantId}`, { state: 'disabled' }],
    ['POST', '/applications', { name: 'x', type: 'web' }],
    ['PATCH', path, { state: 'disabled' }],
    ['POST', `${path}/secrets`, { rotate: true }],
    ['DELETE', `${path}/secrets/${keyId}`],
    ['PUT', `${path}/permissions`, { permissions: [] }],
    ['POST', `${path}/token`, {}],
    ['POST', '/revocations', { what: 'application', id: registration.applicationId }],
    ['POST', '/keys/rotate', { immediately: true }],
    ['DELETE', `/keys/${testApp.keyring.describe()[0]?.kid}`],
  ]
  for (const [method, target, body] of attempts) {
    const response = await manage(method, target, body)
    t.equal(response.statusCode, 503, `${method} ${target}`)
    t.ok(response.headers['retry-after'])
  }
  const revoked = await testApp.post(revokePath, {
    ...{ client_id: registration.applicationId, client_secret: secret, token },
  })
  t.equal(revoked.statusCode, 503, 'no answer says that the token is revoked')
  await testApp.directory.flush()
  t.equal(await state(), before, 'nothing is half done')
})
