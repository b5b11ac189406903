// As whom people act through an application (decision 105): the holder of its credentials acts in the name of everybody
// who uses it.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Presented } from '../../src/management/dependencies.js'
import { insertOwner } from '../../src/storage/sql/registrations/application-owners.js'
import { insertClientRegistration } from '../../src/storage/sql/registrations/client-registrations.js'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { setRole } from '../../src/users/memberships/memberships.js'
import { atPortal, openWorld, type World, withToken } from '../support/models/isolation.js'
import { makePerson } from '../support/rooms/delegation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))
const managing = 'Application.ReadWrite.All'

/** An application of the tenant; without a person the local socket registers it. */
async function register({ testApp, tenantA }: World, userId?: string): Promise<string> {
  testApp.caller.principal = userId === undefined ? { kind: 'local' } : atPortal(userId, tenantA)
  const tenant = userId === undefined ? { tenantId: tenantA } : {}
  const made = await testApp.manage('POST', '/applications', { name: `app ${randomUUID()}`, type: 'web', ...tenant })
  return made.json().applicationId
}

/** An administrator allows it for everybody. */
async function grant({ testApp }: World, id: string, ids: readonly string[]): Promise<void> {
  testApp.caller.principal = { kind: 'local' }
  const permissions = ids.map((one) => ({ kind: 'delegated', id: one }))
  await testApp.manage('PUT', `/applications/${id}/permissions`, { permissions })
  await testApp.manage('POST', `/applications/${id}/consents`, {})
}

/** Somebody's token through it. */
function through(world: World, applicationId: string, userId: string, ids: readonly string[] = [managing]): Presented {
  return { ...withToken(world, world.tenantA, ids, userId), applicationId } as Presented
}

async function tried(
  { testApp }: World,
  principal: Presented,
  method: 'POST' | 'PATCH',
  path: string,
  body: unknown,
): Promise<string> {
  testApp.caller.principal = principal
  const answer = await testApp.manage(method, path, body)
  return answer.statusCode < 300 ? 'done' : `${answer.statusCode} ${refusal(answer).code}`
}

const steal = { redirectUris: ['https://dora.example/steal'] }

t.test('identity H3: through a developer’s application an administrator changes nothing of others', async (t) => {
  const world = await open(t)
  const { a } = world
  const [diary, own, tool] = [
    await register(world),
    await register(world, a.administrator),
    await register(world, a.developer),
  ]
  await grant(world, tool, [managing])
  for (const userId of [a.administrator, a.owner]) {
    const token = through(world, tool, userId)
    t.equal(await tried(world, token, 'PATCH', `/applications/${diary}`, steal), '403 NotTheOwner')
    t.equal(await tried(world, token, 'POST', `/applications/${diary}/secrets`, {}), '403 NotTheOwner')
    t.equal(
      await tried(world, token, 'POST', `/applications/${diary}/owners`, { userId: a.developer }),
      '403 NotTheOwner',
    )
    t.equal(await tried(world, token, 'POST', '/registrationTokens', { label: 'x' }), '403 RoleRequired')
  }
  const token = through(world, tool, a.administrator)
  t.equal(await tried(world, token, 'PATCH', `/applications/${own}`, steal), 'done', 'of what is theirs they do')
  t.equal(await tried(world, token, 'POST', '/applications', { name: 'New', type: 'web' }), 'done')
  t.equal(
    await tried(world, atPortal(a.administrator, world.tenantA), 'PATCH', `/applications/${diary}`, steal),
    'done',
  )
})

t.test('identity H3: what was granted of an administrator’s is done as one, and nothing else with it', async (t) => {
  const world = await open(t)
  const { a, testApp } = world
  const [diary, tool] = [await register(world), await register(world, a.developer)]
  const ids = [managing, 'Consent.ReadWrite.All']
  await grant(world, tool, ids)
  await testApp.manage('PUT', `/applications/${diary}/permissions`, {
    permissions: [{ kind: 'delegated', id: 'User.Read' }],
  })
  const token = through(world, tool, a.administrator, ids)
  t.equal(await tried(world, token, 'POST', `/applications/${diary}/consents`, {}), 'done')
  t.equal(await tried(world, token, 'PATCH', `/applications/${diary}`, steal), '403 NotTheOwner')
  const body = { name: 'New', type: 'web', permissions: [{ kind: 'delegated', id: managing }], consent: true }
  t.equal(await tried(world, token, 'POST', '/applications', body), '403 ConsentNotAllowed')
})

t.test('identity H3: through an application of administrators alone they act as such', async (t) => {
  const world = await open(t)
  const { a, testApp, tenantA } = world
  const other = (await makePerson(testApp.deps, tenantA, { role: 'administrator' })).userId
  for (const by of [undefined, a.administrator, a.owner]) {
    const tool = await register(world, by)
    await grant(world, tool, [managing])
    const change = async (userId: string) =>
      tried(world, through(world, tool, userId), 'PATCH', `/applications/${await register(world)}`, steal)
    t.equal(await change(a.administrator), 'done')
    t.equal(await change(a.developer), '403 NotTheOwner', 'and a developer as a developer')
    testApp.caller.principal = { kind: 'local' }
    await testApp.manage('POST', `/applications/${tool}/owners`, { userId: other })
    t.equal(await change(a.administrator), 'done')
    testApp.caller.principal = { kind: 'local' }
    await testApp.manage('POST', `/applications/${tool}/owners`, { userId: a.developer })
    t.equal(await change(a.administrator), '403 NotTheOwner', 'not once a developer can have its credentials')
  }
  const demoted = await register(world, other)
  await grant(world, demoted, [managing])
  const diary = await register(world)
  const change = () => tried(world, through(world, demoted, a.owner), 'PATCH', `/applications/${diary}`, steal)
  await setUserState(testApp.deps.users, other, 'disabled')
  t.equal(await change(), '403 NotTheOwner', 'nor once who registered it is disabled')
  await setUserState(testApp.deps.users, other, 'enabled')
  t.equal(await change(), 'done')
  await setRole(testApp.deps.users, { tenantId: tenantA, userId: other, role: 'developer' })
  t.equal(await change(), '403 NotTheOwner', 'or is an administrator no more')
})

t.test(
  'identity H3: nor through what registered itself, an application owns, or comes from another tenant',
  async (t) => {
    const world = await open(t)
    const { a, testApp, ownerOfB, tenantB } = world
    const [itself, robots, robot, diary] = [
      await register(world),
      await register(world),
      await register(world),
      await register(world),
    ]
    await testApp.store.transaction((tx) =>
      insertClientRegistration(tx, {
        ...{
          application_id: itself,
          token_hash: randomUUID(),
          previous_hash: null,
          registration_token_id: randomUUID(),
        },
        ...{ grant_types: '[]', permissions: '[]', auth_method: 'none', application_type: 'web', updated_at: 1 },
      }),
    )
    testApp.caller.principal = { kind: 'local' }
    await testApp.manage('POST', `/applications/${robots}/owners`, { applicationId: robot })
    testApp.caller.principal = atPortal(ownerOfB, tenantB)
    const otherApplication = (await testApp.manage('POST', '/applications', { name: 'Foreign', type: 'web' })).json()
      .applicationId
    for (const tool of [itself, robots, otherApplication, randomUUID()]) {
      const answer = await tried(world, through(world, tool, a.administrator), 'PATCH', `/applications/${diary}`, steal)
      t.equal(answer, '403 NotTheOwner')
    }
  },
)

t.test('identity H3: nobody leaves a credential behind in what administrators change applications with', async (t) => {
  const world = await open(t)
  const { a, testApp } = world
  const tool = await register(world, a.administrator)
  await grant(world, tool, [managing])
  await testApp.manage('POST', `/applications/${tool}/owners`, { userId: a.developer })
  const dora = atPortal(a.developer, world.tenantA)
  t.equal(await tried(world, dora, 'POST', `/applications/${tool}/secrets`, {}), '403 HoldsMore')
  t.equal(await tried(world, dora, 'PATCH', `/applications/${tool}`, steal), '403 HoldsMore')
  t.equal(await tried(world, dora, 'PATCH', `/applications/${tool}`, { name: 'Other' }), 'done')
  const own = await register(world, a.developer)
  await grant(world, own, [managing])
  t.equal(await tried(world, dora, 'POST', `/applications/${own}/secrets`, {}), 'done', 'her own she looks after')
})

t.test('identity M3: an application takes over no other one that acts for more than members', async (t) => {
  const world = await open(t)
  const { testApp } = world
  const ids = [managing, 'Member.ReadWrite.All']
  for (const held of ids) {
    const [tool, other] = [await register(world), await register(world)]
    await grant(world, tool, [held])
    const robot = withToken(world, world.tenantA, ids)
    const robotId = 'applicationId' in robot ? robot.applicationId : ''
    await testApp.store.transaction(async (tx) => {
      for (const id of [tool, other]) {
        const owner = { owner_id: robotId, kind: 'application', added_by: '', added_at: 1 }
        await insertOwner(tx, { application_id: id, ...owner })
      }
    })
    t.equal(await tried(world, robot, 'POST', `/applications/${tool}/secrets`, {}), '403 HoldsMore', held)
    t.equal(await tried(world, robot, 'PATCH', `/applications/${tool}`, steal), '403 HoldsMore', held)
    t.equal(await tried(world, robot, 'POST', `/applications/${other}/secrets`, {}), 'done')
    const itself = { ...robot, applicationId: tool } as Presented
    t.equal(await tried(world, itself, 'POST', `/applications/${tool}/secrets`, {}), 'done', 'itself it is already')
  }
})
