// What was looked at is still so when it is written: between the two others change things, and a body may take as long
// as it is let.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { changeApi, createApi } from '../../../src/directory/permissions/apis.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { setOperator, setUserState } from '../../../src/users/accounts/user-state.js'
import { addMembership, setRole } from '../../../src/users/memberships/memberships.js'
import { atPortal, openWorld } from '../../support/models/isolation.js'
import { type Call, during } from '../../support/models/meanwhile.js'
import { makePerson } from '../../support/rooms/delegation.js'
import { openManagement } from '../../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))

const ways = (userId: string, tenantId: string): Call[] => [
  { method: 'POST', path: `/users/${userId}/passwordReset` },
  { method: 'POST', path: `/users/${userId}/signOut` },
  { method: 'PATCH', path: `/users/${userId}`, body: { state: 'disabled' } },
  { method: 'PATCH', path: `/users/${userId}`, body: { name: 'Other' } },
  { method: 'PATCH', path: `/users/${userId}`, body: { email: `${randomUUID()}@evil.test` } },
  { method: 'PATCH', path: `/tenants/${tenantId}/memberships/${userId}`, body: { role: 'member' } },
  { method: 'DELETE', path: `/tenants/${tenantId}/memberships/${userId}` },
  { method: 'DELETE', path: `/users/${userId}` },
]

t.test('V11 a person who rises while an administrator changes their account is above them', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, tenantB, a } = world
  const { users } = testApp.deps
  const adam = atPortal(a.administrator, tenantA)
  for (const index of ways('', '').keys()) {
    const [risen, operator, shared] = await Promise.all([1, 2, 3].map(() => makePerson(testApp.deps, tenantA)))
    const way = (userId = '') => ways(userId, tenantA)[index] as Call
    const name = `${way().method} ${way().path} ${JSON.stringify(way().body)}`
    const rise = () => setRole(users, { userId: risen?.userId ?? '', tenantId: tenantA, role: 'owner' })
    t.equal(await during(world, adam, way(risen?.userId), rise), '403 RoleRequired', `${name}: owner meanwhile`)
    if (way().path.includes('membership')) continue
    const make = () => setOperator(users, operator?.userId ?? '', true)
    t.equal(await during(world, adam, way(operator?.userId), make), '403 RoleRequired', `${name}: operator meanwhile`)
    testApp.caller.principal = { kind: 'local' }
    const join = async () => {
      testApp.caller.principal = { kind: 'local' }
      const body = { userId: shared?.userId, role: 'member' }
      await testApp.manage('POST', `/tenants/${tenantB}/memberships`, body)
    }
    t.equal(
      await during(world, adam, way(shared?.userId), join),
      '403 SharedAccount',
      `${name}: elsewhere too meanwhile`,
    )
  }
})

t.test('V11 a person who is demoted or disabled while they ask changes nothing', async (t) => {
  const world = await open(t)
  const { testApp, tenantA } = world
  const { users } = testApp.deps
  const calls: Call[] = [
    { method: 'POST', path: '/invitations', body: { email: `${randomUUID()}@x.test`, role: 'administrator' } },
    { method: 'POST', path: '/applications', body: { name: `app ${randomUUID()}`, type: 'web' } },
    { method: 'POST', path: '/registrationTokens', body: { label: 'x' } },
  ]
  for (const one of calls) {
    const { userId } = await makePerson(testApp.deps, tenantA, { role: 'administrator' })
    const principal = atPortal(userId, tenantA)
    const lower = () => setRole(users, { userId, tenantId: tenantA, role: 'developer' })
    t.equal(await during(world, principal, one, lower), '403 NoLongerAllowed', `${one.path}: demoted`)
    await setRole(users, { userId, tenantId: tenantA, role: 'administrator' })
    const disable = () => setUserState(users, userId, 'disabled')
    t.equal(await during(world, principal, one, disable), '403 NoLongerAllowed', `${one.path}: disabled`)
    await setUserState(users, userId, 'enabled')
    t.equal(await during(world, principal, one, async () => undefined), 'done', one.path)
  }
})

t.test(
  'a permission that comes to ask for an administrator is not loosened by a change that was on its way',
  async (t) => {
    const world = await open(t)
    const { testApp, tenantA, a } = world
    const { writes } = testApp
    const read = { id: 'orders.read', describe: 'Read orders', kinds: ['delegated' as const] }
    const others = [{ ...read, describe: 'See orders' }]
    const calls = (apiId: string): Call[] => [
      { method: 'PATCH', path: `/apis/${apiId}`, body: { permissions: others } },
      { method: 'PATCH', path: `/apis/${apiId}`, body: { permissions: [] } },
      { method: 'DELETE', path: `/apis/${apiId}` },
    ]
    const stricter = [{ adminConsent: true }, { role: 'administrator' as const }]
    const developer = atPortal(a.developer, tenantA)
    let shop = 0
    for (const index of calls('').keys()) {
      for (const asks of [...stricter, undefined]) {
        shop += 1
        const names = { shortName: `shop${shop}`, name: `Shop ${shop}` }
        const { apiId } = await createApi(writes, { ...names, tenantId: tenantA, permissions: [read] })
        const meanwhile = async () => asks && changeApi(writes, apiId, { permissions: [{ ...read, ...asks }] })
        const call = calls(apiId)[index] as Call
        const expected = asks === undefined ? 'done' : '403 RoleRequired'
        t.equal(
          await during(world, developer, call, meanwhile),
          expected,
          `${call.method} ${JSON.stringify([call.body, asks])}`,
        )
      }
    }
  },
)

t.test('an operator lets nobody into a tenant that got its people meanwhile', async (t) => {
  const world = await open(t)
  const { testApp, tenantB, operatorOfB } = world
  const operator = atPortal(operatorOfB, tenantB)
  const mallory = await makePerson(testApp.deps, tenantB)
  const calls = (tenantId: string): [Call, string][] => [
    [
      { method: 'POST', path: '/invitations', body: { tenantId, email: 'm@x.test', role: 'owner' } },
      '404 TenantNotFound',
    ],
    [
      { method: 'POST', path: `/tenants/${tenantId}/memberships`, body: { userId: mallory.userId, role: 'owner' } },
      '403 TenantHasOwner',
    ],
    [
      { method: 'POST', path: '/users', body: { tenantId, email: 'mm@x.test', name: 'Mallory', role: 'owner' } },
      '403 TenantHasOwner',
    ],
  ]
  for (const index of calls('').keys()) {
    const { tenantId } = await createTenant(testApp.writes, { name: `Tenant ${index}` })
    const [call, refused] = calls(tenantId)[index] as [Call, string]
    const meanwhile = async () => {
      const { userId } = await makePerson(testApp.deps, tenantB)
      await addMembership(testApp.deps.users, { tenantId, userId, role: 'owner' })
    }
    t.equal(await during(world, operator, call, meanwhile), refused, call.path)
    const empty = await createTenant(testApp.writes, { name: `Empty ${index}` })
    const [again] = calls(empty.tenantId)[index] as [Call, string]
    t.equal(await during(world, operator, again, async () => undefined), 'done', call.path)
  }
})

t.test('what an operator changes of themselves is done as a whole', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  await setOperator(testApp.deps.users, a.administrator, true)
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  const changed = await testApp.manage('PATCH', `/users/${a.administrator}`, { operator: false, name: 'Adam' })
  t.match(changed.json(), { operator: false, name: 'Adam' })
  await setOperator(testApp.deps.users, a.administrator, true)
  const inCapitals = `/users/${a.administrator.toUpperCase()}`
  const again = await testApp.manage('PATCH', inCapitals, { operator: false, name: 'Eve' })
  t.match(again.json(), { operator: false, name: 'Eve' }, 'in other letters too')
})
