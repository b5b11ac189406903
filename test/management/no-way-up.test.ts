// Nobody becomes more than they are by way of management: not by equipping an application that somebody more powerful
// uses, and not through an application that looks after people.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Role } from '../../src/config/settings/settings.js'
import { rememberInTransaction } from '../../src/directory/consents/consents.js'
import type { PermissionRef } from '../../src/directory/records.js'
import { write } from '../../src/directory/writes.js'
import { simulateToken } from '../../src/identity/token/simulated-token.js'
import { insertOwner } from '../../src/storage/sql/registrations/application-owners.js'
import { insertGrants } from '../../src/storage/sql/registrations/installations.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { atPortal, openWorld, roles, type World, withToken } from '../support/models/isolation.js'
import { delegate, makePerson } from '../support/rooms/delegation.js'
import { readToken } from '../support/rooms/identity.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))

/** An application of dora's, so that no rule about owners answers in place of the one in question. */
async function ofDora({ testApp, a, tenantA }: World, permissions: readonly object[] = []): Promise<string> {
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const made = await testApp.manage('POST', '/applications', { name: `app ${randomUUID()}`, type: 'web' })
  testApp.caller.principal = { kind: 'local' }
  const { applicationId } = made.json()
  await testApp.manage('PUT', `/applications/${applicationId}/permissions`, { permissions })
  return applicationId
}

/** Every way to come by what an application gets; the refusals' codes. */
async function equip({ testApp }: World, id: string): Promise<string[]> {
  const ways: ['POST' | 'PATCH' | 'PUT', string, unknown][] = [
    ['PATCH', '', { redirectUris: ['https://dora.example/steal'] }],
    ['POST', '/secrets', {}],
    ['POST', '/secrets', { rotate: true }],
    ['POST', '/token', {}],
    ['PATCH', '', { requirePkce: false }],
    ['PATCH', '', { authMethod: 'federated' }],
    ['POST', '/federatedCredentials', { name: 'w', issuer: 'https://i.example', subject: 'w', jwks: { keys: [] } }],
    ['PUT', '/permissions', { permissions: [{ kind: 'delegated', id: 'User.Read' }] }],
  ]
  const codes: string[] = []
  for (const [method, path, body] of ways) {
    const answer = await testApp.manage(method, `/applications/${id}${path}`, body)
    codes.push(answer.statusCode < 300 ? 'done' : `${answer.statusCode} ${refusal(answer).code}`)
  }
  return codes
}

/** A token of it without its secret is for people alone, and an application that owns nothing changes nothing. */
const isRefused = (codes: readonly string[]) =>
  codes.every((code) => /^403 (HoldsMore|PeopleOnly|NotTheOwner)$/.test(code))

function allow(world: World, userId: string, applicationId: string, permissions: readonly PermissionRef[]) {
  const { testApp, tenantA: tenantId } = world
  const consent = { userId, applicationId, tenantId, permissions, byAdministrator: true }
  return write(testApp.writes, (writing) => rememberInTransaction(testApp.writes, writing, consent))
}

t.test(
  'identity H1: a person who is no operator equips no application that holds permissions of the server',
  async (t) => {
    const world = await open(t)
    const { testApp, tenantA, a } = world
    const resource = testApp.catalogue.own.id
    const ref = (id: string) => ({ kind: 'delegated' as const, resource, id })
    for (const id of ['Server.Read', 'Server.ReadWrite']) {
      const diary = await ofDora(world, [ref(id)])
      await testApp.manage('POST', `/applications/${diary}/consents`, {})
      const notes = await ofDora(world, [ref(id)])
      await allow(world, a.owner, notes, [ref(id)])
      for (const [name, application] of [
        ['for everybody', diary],
        ['for the operator alone', notes],
      ] as const) {
        for (const role of roles.slice(1)) {
          testApp.caller.principal = atPortal(a[role], tenantA)
          const codes = await equip(world, application)
          t.ok(isRefused(codes), `${id} ${name}, by a session of a ${role}: ${codes.join(', ')}`)
          // What her token says she has she has not.
          testApp.caller.principal = withToken(world, tenantA, ['Application.ReadWrite.All', id], a[role])
          t.ok(isRefused(await equip(world, application)), `${id} ${name}, by a token of a ${role}`)
        }
      }
      await setOperator(testApp.deps.users, a.owner, true)
      testApp.caller.principal = atPortal(a.owner, tenantA)
      t.equal((await testApp.manage('POST', `/applications/${diary}/secrets`, {})).statusCode, 201, 'an operator may')
      await setOperator(testApp.deps.users, a.owner, false)
    }
  },
)

t.test('identity H1: only an operator lists a permission of the server, or lets others register with it', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  const permissions = [{ kind: 'delegated', id: 'Server.ReadWrite' }]
  const id = await ofDora(world)
  const ways: ['POST' | 'PUT', string, unknown][] = [
    ['PUT', `/applications/${id}/permissions`, { permissions }],
    ['POST', '/applications', { name: 'New', type: 'web', permissions }],
    ['POST', '/registrationTokens', { label: 'x', permissions }],
  ]
  const principal = withToken(world, tenantA, ['Application.ReadWrite.All'])
  const applicationId = 'applicationId' in principal ? principal.applicationId : ''
  await testApp.store.transaction((tx) =>
    insertOwner(tx, {
      ...{ application_id: id, owner_id: applicationId, kind: 'application', added_by: '', added_at: 1 },
    }),
  )
  for (const [method, path, body] of ways) {
    testApp.caller.principal = atPortal(a.owner, tenantA)
    t.match(refusal(await testApp.manage(method, path, body)), { status: 403, code: 'OperatorRequired' }, path)
    testApp.caller.principal = principal
    t.match(refusal(await testApp.manage(method, path, body)), { status: 403, code: 'OperatorRequired' }, path)
  }
})

t.test(
  'identity H1: permissions of the server are in tokens of operators only, from the first to the last',
  async (t) => {
    const world = await open(t)
    const { testApp } = world
    const permissions = ['Server.ReadWrite', 'Server.Read', 'User.Read']
    const delegation = await delegate(testApp, {
      ...{ role: 'owner', permissions },
      registration: { consentByOperator: true },
    })
    const { user, registration, tenantId, tokens, refresh } = delegation
    const scopeOf = (token: string) => String(readToken(token).claims['scope']).split(' ')
    const first = await tokens()
    t.notOk(
      scopeOf(first.access_token).some((id) => id.startsWith('Server.')),
      'of the owner of a tenant',
    )
    await setOperator(testApp.deps.users, user.userId, true)
    const asOperator = await tokens()
    t.same(
      scopeOf(asOperator.access_token).filter((id) => id.startsWith('Server.')),
      permissions.slice(0, 2),
    )
    const simulated = async () => {
      const params = {
        registration,
        userId: user.userId,
        tenantId,
        scope: undefined,
        resource: testApp.catalogue.own.id,
      }
      const token = await simulateToken(testApp.deps, params)
      return token.kind === 'granted' ? [...token.principal.permissions] : []
    }
    t.ok((await simulated()).includes('Server.ReadWrite'))
    testApp.caller.principal = 'token'
    const authorization = { authorization: `Bearer ${asOperator.access_token}` }
    t.equal((await testApp.manage('GET', '/keys', undefined, authorization)).statusCode, 200)
    await setOperator(testApp.deps.users, user.userId, false)
    t.equal(
      (await testApp.manage('GET', '/keys', undefined, authorization)).statusCode,
      401,
      'what is out ends with it',
    )
    t.not((await refresh(asOperator.refresh_token)).status, 200)
    t.notOk(
      (await simulated()).some((id) => id.startsWith('Server.')),
      'nor does an explanation simulate it',
    )
    t.notOk(scopeOf((await tokens()).access_token).some((id) => id.startsWith('Server.')))
    for (const [id, principal] of [
      ['a session', atPortal(user.userId, tenantId)],
      ['a token', withToken(world, tenantId, permissions, user.userId)],
    ] as const) {
      testApp.caller.principal = principal
      t.match(refusal(await testApp.manage('GET', '/keys')), { status: 403, code: 'OperatorRequired' }, id)
    }
  },
)

t.test(
  'identity H1: an operator adds nobody to a tenant that has an owner, nor above themselves at home',
  async (t) => {
    const world = await open(t)
    const { testApp, tenantA, tenantB, a } = world
    const { userId: operator } = await makePerson(testApp.deps, tenantB, { role: 'developer' })
    await setOperator(testApp.deps.users, operator, true)
    const { userId } = await makePerson(testApp.deps, tenantB)
    const created = (tenantId: string, role: Role) => ({
      ...{ name: 'New', email: `${randomUUID()}@x.test`, tenantId, role },
    })
    testApp.caller.principal = atPortal(operator, tenantB)
    for (const role of roles) {
      const added = await testApp.manage('POST', `/tenants/${tenantA}/memberships`, { userId, role })
      t.match(refusal(added), { status: 403, code: 'TenantHasOwner' }, role)
      const upper = await testApp.manage('POST', `/tenants/${tenantA.toUpperCase()}/memberships`, { userId, role })
      t.equal(upper.statusCode, 403, 'in any letters')
      t.match(refusal(await testApp.manage('POST', '/users', created(tenantA, role))), { code: 'TenantHasOwner' })
    }
    const above = await testApp.manage('POST', `/tenants/${tenantB}/memberships`, { userId: a.member, role: 'owner' })
    t.match(refusal(above), { status: 403, code: 'RoleRequired' })
    t.equal((await testApp.manage('POST', '/users', created(tenantB, 'administrator'))).statusCode, 403)
    t.equal((await testApp.manage('POST', '/users', created(tenantB, 'developer'))).statusCode, 201)
    const { tenantId } = (await testApp.manage('POST', '/tenants', { name: 'Fresh' })).json()
    const first = await testApp.manage('POST', `/tenants/${tenantId}/memberships`, { userId, role: 'owner' })
    t.equal(first.statusCode, 201, 'a new tenant gets its first owner')
    const second = await testApp.manage('POST', `/tenants/${tenantId}/memberships`, {
      userId: a.member,
      role: 'member',
    })
    t.equal(second.statusCode, 403)
  },
)

t.test(
  'identity H2: the ceiling asks role and administrator’s consent of every permission that anybody allowed',
  async (t) => {
    const world = await open(t)
    const { testApp, tenantA, a } = world
    const permissions = [
      { id: 'approve_payment', describe: 'Approve', kinds: ['delegated'], role: 'administrator' },
      { id: 'audit', describe: 'Audit', kinds: ['delegated'], role: 'member', adminConsent: true },
      { id: 'look', describe: 'Look', kinds: ['delegated'] },
    ]
    testApp.caller.principal = atPortal(a.owner, tenantA)
    const { identifier: resource } = (
      await testApp.manage('POST', '/apis', { shortName: 'pay', name: 'Pay', permissions })
    ).json()
    const ref = (id: string) => ({ kind: 'delegated' as const, resource, id })
    for (const id of ['approve_payment', 'audit']) {
      const payapp = await ofDora(world, [ref(id)])
      await allow(world, a.administrator, payapp, [ref(id)])
      testApp.caller.principal = atPortal(a.developer, tenantA)
      const codes = await equip(world, payapp)
      t.ok(isRefused(codes), `${id}, by a developer: ${codes.join(', ')}`)
      testApp.caller.principal = withToken(world, tenantA, ['Application.ReadWrite.All'], a.developer)
      t.ok(isRefused(await equip(world, payapp)), `${id}, by her token`)
      testApp.caller.principal = withToken(world, tenantA, ['Application.ReadWrite.All'])
      const byApplication = await equip(world, payapp)
      t.ok(isRefused(byApplication), `${id}, by an application: ${byApplication.join(', ')}`)
      testApp.caller.principal = atPortal(a.administrator, tenantA)
      t.equal((await testApp.manage('POST', `/applications/${payapp}/secrets`, {})).statusCode, 201, `${id}: who could`)
    }
    const harmless = await ofDora(world, [ref('look')])
    await allow(world, a.administrator, harmless, [ref('look')])
    testApp.caller.principal = atPortal(a.developer, tenantA)
    t.equal(
      (await testApp.manage('POST', `/applications/${harmless}/secrets`, {})).statusCode,
      201,
      'what anybody could',
    )
    const listed = await testApp.manage('PUT', `/applications/${harmless}/permissions`, {
      permissions: [ref('look'), ref('approve_payment')],
    })
    t.match(refusal(listed), { status: 403, code: 'RoleRequired' }, 'nor does she list what only others could use')
    const forConsent = await testApp.manage('PUT', `/applications/${harmless}/permissions`, {
      permissions: [ref('look'), ref('audit')],
    })
    t.equal(forConsent.statusCode, 200, 'what an administrator decides about she may list')
  },
)

t.test('identity H2: what the catalogue has no more still counts, because it may come back', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  const id = await ofDora(world)
  await testApp.store.transaction((tx) =>
    insertGrants(tx, [
      {
        ...{ application_id: id, tenant_id: tenantA, kind: 'application', resource: testApp.catalogue.own.id },
        ...{ permission_id: 'Gone.ReadWrite.All', granted_at: 1, granted_by: 'test' },
      },
    ]),
  )
  for (const [principal, isAllowed] of [
    [atPortal(a.developer, tenantA), false],
    [withToken(world, tenantA, ['Application.ReadWrite.All', 'Gone.ReadWrite.All']), false],
    [atPortal(a.administrator, tenantA), true],
  ] as const) {
    testApp.caller.principal = principal
    t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, isAllowed ? 201 : 403)
  }
})

t.test('identity M3: an application invites, changes and lets in members at most', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, make } = world
  const asApplication = withToken(world, tenantA, ['Member.ReadWrite.All', 'Application.ReadWrite.All'])
  for (const role of roles.slice(1)) {
    testApp.caller.principal = asApplication
    const tries: ['POST' | 'PATCH' | 'DELETE', string, unknown][] = [
      ['POST', '/invitations', { email: 'me@x.test', role }],
      ['PATCH', `/tenants/${tenantA}/memberships/${await make.user()}`, { role }],
      ['PATCH', `/tenants/${tenantA}/memberships/${a[role]}`, { role: 'member' }],
      ['DELETE', `/tenants/${tenantA}/memberships/${a[role]}`, undefined],
      ['PATCH', `/users/${a[role]}`, { email: `${randomUUID()}@x.test` }],
      ['PATCH', `/users/${a[role]}`, { state: 'disabled' }],
      ['POST', `/users/${a[role]}/passwordReset`, undefined],
      ['POST', `/users/${a[role]}/signOut`, undefined],
      ['DELETE', `/users/${a[role]}`, undefined],
    ]
    for (const [method, path, body] of tries) {
      testApp.caller.principal = asApplication
      t.match(
        refusal(await testApp.manage(method, path, body)),
        { status: 403, code: 'RoleRequired' },
        `${method} ${path}`,
      )
    }
  }
  const moved = await testApp.manage('POST', '/revocations', { what: 'tenant', id: tenantA })
  t.equal(moved.statusCode, 403, 'nor does it end everybody’s tokens')
  t.equal((await testApp.manage('POST', `/users/${await make.user()}/signOut`)).statusCode, 204, 'a member it may')
})

t.test('identity M3 = gateway M11: no application is given a one-time link of anybody', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, make } = world
  const held = ['Member.ReadWrite.All']
  const tries = async () => {
    const member = await make.user()
    return [
      await testApp.manage('POST', '/invitations', { email: `${randomUUID()}@x.test`, role: 'member' }),
      await testApp.manage('POST', `/users/${member}/passwordReset`),
    ]
  }
  const linksBefore = await testApp.store.reader.selectFrom('one_time_links').selectAll().execute()
  for (const [name, principal] of [
    ['as itself', withToken(world, tenantA, held)],
    ['for an administrator', withToken(world, tenantA, held, a.administrator)],
    ['for an owner', withToken(world, tenantA, held, a.owner)],
  ] as const) {
    testApp.caller.principal = principal
    for (const answer of await tries()) {
      t.match(refusal(answer), { status: 409, code: 'MailNeeded' }, name)
      t.notMatch(answer.body, /pcl_o[lm]_/, name)
    }
  }
  const links = await testApp.store.reader.selectFrom('one_time_links').selectAll().execute()
  t.equal(links.length, linksBefore.length, 'and none was made')
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  for (const answer of await tries()) t.match(answer.json().url, /pcl_ol_/, 'a person at the portal gets it')
  const ledger = await testApp.store.reader.selectFrom('ledger').selectAll().execute()
  t.notMatch(JSON.stringify(ledger) + testApp.managementLog.join(), /pcl_o[lm]_[0-9A-Za-z]{43}/)
})
