// Owners of applications (contract §8, decision 84): others than they and the administrators change nothing.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { listOwners } from '../../src/directory/applications/owners-in-transaction.js'
import type { Presented } from '../../src/management/dependencies.js'
import { deleteUser } from '../../src/users/accounts/user-state.js'
import { removeMembership } from '../../src/users/memberships/leave-tenant.js'
import { setRole } from '../../src/users/memberships/memberships.js'
import { atPortal, openWorld, type World, withToken } from '../support/models/isolation.js'
import { makePerson } from '../support/rooms/delegation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))

async function register({ testApp, tenantA }: World, principal: Presented): Promise<string> {
  testApp.caller.principal = principal
  const redirectUris = ['https://diary.test/back']
  const local = principal.kind === 'local' ? { tenantId: tenantA } : {}
  const body = { name: `app ${randomUUID()}`, type: 'web', redirectUris, ...local }
  const made = await testApp.manage('POST', '/applications', body)
  return made.json().applicationId
}

async function ownersOf({ testApp }: World, id: string): Promise<string[]> {
  return (await testApp.store.snapshot((tx) => listOwners(tx, id))).map(({ ownerId }) => ownerId)
}

/** Every change that there is to an application, with its refusal's code or `done`. */
async function tryAll({ testApp, a }: World, id: string, principal: Presented): Promise<Record<string, string>> {
  testApp.caller.principal = { kind: 'local' }
  const { keyId } = (await testApp.manage('POST', `/applications/${id}/secrets`, {})).json()
  const credential = { name: 'w', issuer: 'https://i.example', subject: randomUUID() }
  const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'k' }] }
  const federated = await testApp.manage('POST', `/applications/${id}/federatedCredentials`, { ...credential, jwks })
  const trust = { name: 'w', issuer: 'https://other.example', subject: randomUUID(), jwks }
  const tries: ['POST' | 'PATCH' | 'PUT' | 'DELETE', string, unknown][] = [
    ['PATCH', '', { redirectUris: ['https://diary.test/back', 'https://dora.example/steal'] }],
    ['PATCH', '', { adminConsentRedirectUris: ['https://dora.example/steal'] }],
    ['PATCH', '', { logoutRedirectUris: ['https://dora.example/steal'] }],
    ['PATCH', '', { name: `renamed ${randomUUID()}` }],
    ['PATCH', '', { publisher: 'Contoso' }],
    ['PATCH', '', { state: 'disabled' }],
    ['PATCH', '', { state: 'enabled' }],
    ['PATCH', '', { requirePkce: true }],
    ['PATCH', '', { idTokenAlg: 'ES256' }],
    ['PUT', '/permissions', { permissions: [] }],
    ['POST', '/secrets', {}],
    ['DELETE', `/secrets/${keyId}`, undefined],
    ['POST', '/federatedCredentials', trust],
    ['DELETE', `/federatedCredentials/${federated.json().id}`, undefined],
    ['POST', '/owners', { userId: a.developer }],
    ['PUT', '/owners', { owners: [a.developer, a.administrator] }],
    ['DELETE', `/owners/${randomUUID()}`, undefined],
    ['POST', '/removeUnused', { permissions: [{ kind: 'application', id: 'User.Read.All' }] }],
    ['DELETE', '', undefined],
  ]
  testApp.caller.principal = principal
  const codes: Record<string, string> = {}
  for (const [method, path, body] of tries) {
    const answer = await testApp.manage(method, `/applications/${id}${path}`, body)
    const name = `${method} ${path.replace(/[0-9a-f-]{36}|fed_\w+/, '')} ${Object.keys((body ?? {}) as object)}`
    codes[name] = answer.statusCode < 300 ? 'done' : `${answer.statusCode} ${refusal(answer).code}`
  }
  const ended = await testApp.manage('POST', '/revocations', { what: 'application', id })
  codes['revoke'] = ended.statusCode < 300 ? 'done' : `${ended.statusCode} ${refusal(ended).code}`
  return codes
}

/** An application of the developer of A that holds more than the developer could use. */
async function registerHoldingMore(world: World): Promise<string> {
  const { testApp, tenantA, a } = world
  const id = await register(world, atPortal(a.developer, tenantA))
  testApp.caller.principal = { kind: 'local' }
  const permissions = [{ kind: 'application', id: 'Member.ReadWrite.All' }]
  await testApp.manage('PUT', `/applications/${id}/permissions`, { permissions })
  await testApp.manage('POST', `/applications/${id}/consents`, {})
  return id
}

t.test('identity H3: others than owners and administrators change nothing of an application', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  const other = (await makePerson(testApp.deps, tenantA, { role: 'developer' })).userId
  const all = ['Application.ReadWrite.All']
  const untrustedParties: [string, Presented][] = [
    ['a session of another developer', atPortal(other, tenantA)],
    ['her token', withToken(world, tenantA, all, other)],
    ['an application', withToken(world, tenantA, all)],
  ]
  const applications: [string, string][] = [
    ['of dora', await register(world, atPortal(a.developer, tenantA))],
    ['of the administrator', await register(world, atPortal(a.administrator, tenantA))],
    ['of nobody', await register(world, { kind: 'local' })],
  ]
  for (const [whose, id] of applications) {
    for (const [name, principal] of untrustedParties) {
      for (const [what, code] of Object.entries(await tryAll(world, id, principal))) {
        t.equal(code, '403 NotTheOwner', `${name}, ${whose}: ${what}`)
      }
      t.equal((await testApp.manage('GET', `/applications/${id}`)).statusCode, 200, 'but sees it')
      t.equal((await testApp.manage('GET', `/applications/${id}/owners`)).statusCode, 200, 'and whose it is')
    }
  }
})

t.test('identity H3: its owners and the administrators of its tenant change it', async (t) => {
  const world = await open(t)
  const { tenantA, a } = world
  for (const [name, principal] of [
    ['who registered it', atPortal(a.developer, tenantA)],
    ['through a token', withToken(world, tenantA, ['Application.ReadWrite.All'], a.developer)],
    ['an administrator', atPortal(a.administrator, tenantA)],
    ['an owner of the tenant', atPortal(a.owner, tenantA)],
  ] as const) {
    const id = await register(world, atPortal(a.developer, tenantA))
    const codes = Object.values(await tryAll(world, id, principal))
    t.notOk(codes.includes('403 NotTheOwner'), `${name}: ${codes.join(', ')}`)
  }
})

t.test('identity H3: owners are added by owners and administrators, from the home tenant alone', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, ownerOfB } = world
  const id = await register(world, atPortal(a.developer, tenantA))
  t.same(await ownersOf(world, id), [a.developer], 'who registered it')
  const other = (await makePerson(testApp.deps, tenantA, { role: 'developer' })).userId
  const [theirs, otherTenants] = [
    (await world.make.application()).id,
    await register(world, atPortal(ownerOfB, world.tenantB)),
  ]
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const add = async (body: unknown) => testApp.manage('POST', `/applications/${id}/owners`, body)
  const refused = [
    ...[{ userId: ownerOfB }, { userId: randomUUID() }, { userId: a.member }],
    ...[
      { email: 'nobody@x.test' },
      { applicationId: otherTenants },
      { applicationId: id },
      { applicationId: a.developer },
      { userId: theirs },
    ],
  ]
  for (const body of refused) {
    t.match(refusal(await add(body)), { status: 400, code: 'NotEligible' }, JSON.stringify(body))
  }
  for (const body of [{}, { userId: 'x' }, { userId: other, applicationId: theirs }, { ownerId: other }]) {
    t.equal((await add(body)).statusCode, 400, JSON.stringify(body))
  }
  const added = await add({ userId: other })
  t.match(added.json(), { ownerId: other, kind: 'user', name: 'Ada Lovelace', addedBy: a.developer })
  t.match((await add({ applicationId: theirs })).json(), { ownerId: theirs, kind: 'application', addedBy: a.developer })
  t.equal((await add({ userId: other })).statusCode, 201, 'twice is once')
  t.equal((await testApp.manage('GET', `/applications/${id}/owners`)).json().value.length, 3)
  testApp.caller.principal = atPortal(other, tenantA)
  t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201, 'the new owner changes it')
  testApp.caller.principal = {
    ...withToken(world, tenantA, ['Application.ReadWrite.All']),
    applicationId: theirs,
  } as Presented
  t.equal(
    (await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode,
    201,
    'and so does the application',
  )
  testApp.caller.principal = atPortal(other, tenantA)
  t.equal((await testApp.manage('DELETE', `/applications/${id}/owners/${a.developer}`)).statusCode, 204)
  t.equal((await testApp.manage('DELETE', `/applications/${id}/owners/${a.developer}`)).statusCode, 404)
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const gone = await testApp.manage('POST', `/applications/${id}/secrets`, {})
  t.match(refusal(gone), { status: 403, code: 'NotTheOwner' })
  testApp.caller.principal = atPortal(other, tenantA)
  for (const owner of [theirs, other]) await testApp.manage('DELETE', `/applications/${id}/owners/${owner}`)
  t.match(
    refusal(await testApp.manage('POST', `/applications/${id}/secrets`, {})),
    { code: 'NotTheOwner' },
    'of nobody',
  )
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  t.equal(
    (await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode,
    201,
    'it is the administrators’',
  )
  const events = await testApp.store.reader
    .selectFrom('ledger')
    .select('event')
    .where('application_id', '=', id)
    .execute()
  t.equal(events.filter(({ event }) => event === 'application.owner-added').length, 2)
  t.equal(events.filter(({ event }) => event === 'application.owner-removed').length, 3)
})

t.test('identity H3: nobody makes others owners of what holds more than they could use', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  const id = await registerHoldingMore(world)
  const other = (await makePerson(testApp.deps, tenantA, { role: 'developer' })).userId
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const answer = await testApp.manage('POST', `/applications/${id}/owners`, { userId: other })
  t.match(refusal(answer), { status: 403, code: 'HoldsMore' })
})

t.test(
  'identity H3: a person who leaves the tenant, or is a mere member, has no power over what was theirs',
  async (t) => {
    const world = await open(t)
    const { testApp, tenantA, tenantB } = world
    const { users } = testApp.deps
    const leavers: [string, (userId: string) => Promise<unknown>, string[]][] = [
      ['removed', (userId) => removeMembership(users, { userId, tenantId: tenantA }), []],
      ['deleted', (userId) => deleteUser(users, userId), []],
    ]
    for (const [name, leave, left] of leavers) {
      const { userId } = await makePerson(testApp.deps, tenantA, { role: 'developer' })
      const id = await register(world, atPortal(userId, tenantA))
      await leave(userId)
      t.same(await ownersOf(world, id), left, name)
      testApp.caller.principal = atPortal(userId, tenantA)
      t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 403, name)
    }
    const { userId } = await makePerson(testApp.deps, tenantA, { role: 'developer' })
    const id = await register(world, atPortal(userId, tenantA))
    await setRole(users, { userId, tenantId: tenantA, role: 'member' })
    testApp.caller.principal = atPortal(userId, tenantA)
    t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 403, 'a mere member')
    testApp.caller.principal = { kind: 'local' }
    await testApp.manage('POST', `/tenants/${tenantB}/memberships`, { userId, role: 'owner' })
    testApp.caller.principal = atPortal(userId, tenantB)
    t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 404, 'nor from elsewhere')
  },
)

t.test('identity H3: what an application registers is its own, and ends with it', async (t) => {
  const world = await open(t)
  const { testApp, tenantA } = world
  const maker = (await world.make.application()).id
  const principal = { ...withToken(world, tenantA, ['Application.ReadWrite.All']), applicationId: maker } as Presented
  const id = await register(world, principal)
  t.same(await ownersOf(world, id), [maker])
  t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201)
  t.equal(
    (await testApp.manage('POST', `/applications/${maker}/secrets`, {})).statusCode,
    403,
    'it holds more than that',
  )
  testApp.caller.principal = { kind: 'local' }
  t.equal((await testApp.manage('DELETE', `/applications/${maker}`)).statusCode, 204)
  t.same(await ownersOf(world, id), [])
  t.same(await ownersOf(world, await register(world, { kind: 'local' })), [], 'over the local socket it is nobody’s')
})

t.test('identity H3: owners are replaced as a whole, by address or id, or not at all', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, ownerOfB } = world
  const other = await makePerson(testApp.deps, tenantA, { role: 'developer' })
  const theirs = (await world.make.application()).id
  const id = await register(world, atPortal(a.developer, tenantA))
  const put = async (owners: unknown) => testApp.manage('PUT', `/applications/${id}/owners`, { owners })
  for (const owner of [ownerOfB, a.member, randomUUID(), id, 'nobody@x.test', 'x', '']) {
    const answer = refusal(await put([a.developer, owner]))
    t.equal(answer.status, 400, owner)
    if (owner !== '' && owner !== id) t.match(answer, { code: 'NotEligible', target: 'owners/1' }, owner)
  }
  t.same(await ownersOf(world, id), [a.developer], 'nothing was done')
  t.equal((await put(Array.from({ length: 51 }, () => a.developer))).statusCode, 400, 'fifty at most')
  const replaced = await put([other.email.toUpperCase(), theirs, other.userId])
  t.equal(replaced.statusCode, 200)
  t.same(
    (await ownersOf(world, id)).sort(),
    [other.userId, theirs].sort(),
    'each once, and the person who gave it away is none',
  )
  t.same(refusal(await put([a.developer])).code, 'NotTheOwner', 'they changed it before they lost it, and never after')
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  const shown = (await testApp.manage('GET', `/applications/${id}`)).json()
  t.same(shown.owners.sort(), [other.userId, theirs].sort(), 'the application says it too')
  const { headers } = await testApp.manage('GET', `/applications/${id}`)
  t.equal((await put([])).statusCode, 200)
  t.same(await ownersOf(world, id), [], 'it is the administrators’')
  const stale = await testApp.manage(
    'PUT',
    `/applications/${id}/owners`,
    { owners: [] },
    { 'if-match': `${headers.etag}` },
  )
  t.equal(stale.statusCode, 412, 'somebody else was faster')
})

t.test('identity H3: who could own an application is said to those who may change some', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, ownerOfB } = world
  const theirs = (await world.make.application()).id
  const other = await makePerson(testApp.deps, tenantA, { role: 'developer' })
  const find = async (owner: string) =>
    testApp.manage('GET', `/tenants/${tenantA}/possibleOwners?${new URLSearchParams({ owner })}`)
  testApp.caller.principal = atPortal(a.developer, tenantA)
  t.match((await find(other.email)).json(), { ownerId: other.userId, kind: 'user', name: 'Ada Lovelace' })
  t.match((await find(theirs)).json(), { ownerId: theirs, kind: 'application' })
  const refused = await Promise.all([ownerOfB, a.member, 'nobody@x.test', randomUUID()].map(find))
  for (const answer of refused) t.match(refusal(answer), { status: 400, code: 'NotEligible' })
  for (const owner of ['', 'x'.repeat(255)]) t.equal((await find(owner)).statusCode, 400)
  testApp.caller.principal = atPortal(a.member, tenantA)
  t.equal((await find(other.email)).statusCode, 403)
})

t.test('identity H3: nobody gives what holds more than they could use to others by replacing owners', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  const id = await registerHoldingMore(world)
  const { userId } = await makePerson(testApp.deps, tenantA, { role: 'developer' })
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const put = async (owners: string[]) => testApp.manage('PUT', `/applications/${id}/owners`, { owners })
  t.match(refusal(await put([a.developer, userId])), { status: 403, code: 'HoldsMore' })
  t.equal((await put([a.developer])).statusCode, 200, 'to change nothing is no gift')
  t.equal((await put([])).statusCode, 200, 'nor to give it up')
})
