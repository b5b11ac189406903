// identity M8: the API tells what was counted, and suggests to require PKCE when nobody would be refused by it.

import t, { type Test } from 'tap'
import type { PkceUseAnswer } from '../../src/management/applications/pkce-use.js'
import { insertUserConsents } from '../../src/storage/sql/consents/user-consents.js'
import { atPortal, openWorld } from '../support/models/isolation.js'
import { ownResource } from '../support/rooms/directory.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const dayMs = 86_400_000

async function open(t: Test) {
  const testApp = await openManagement(t)
  const world = await openWorld(testApp)
  const { tenantA: tenantId } = world
  // The tables are as old as this process: a month later everything was counted.
  testApp.clock.nowMs = Date.now() + 40 * dayMs
  const { id } = await world.make.application()
  const uses = async (applicationId = id) => {
    await testApp.usage.flush()
    return (await testApp.manage('GET', `/applications/${applicationId}/pkceUse`)).json<PkceUseAnswer>()
  }
  const count = (withPkce: number, without: number, applicationId = id) => {
    for (let i = 0; i < withPkce; i += 1) testApp.usage.code(applicationId, true)
    for (let i = 0; i < without; i += 1) testApp.usage.code(applicationId, false)
  }
  return { ...testApp, world, tenantId, id, uses, count }
}

t.test('identity M8: suggested only when all requests of thirty days had PKCE', async (t) => {
  const { clock, id, uses, count, manage } = await open(t)
  const none = { withPkce: 0, withoutPkce: 0, lastWithoutAt: null, suggested: false, value: [] }
  t.match(await uses(), { applicationId: id, required: false, ...none }, 'of nothing nothing follows')
  count(3, 2)
  const lastWithoutAt = new Date(clock.nowMs).toISOString()
  const day = lastWithoutAt.slice(0, 10)
  t.match(await uses(), {
    ...{ withPkce: 3, withoutPkce: 2, lastWithoutAt, suggested: false, to: day },
    value: [{ day, withPkce: 3, withoutPkce: 2 }],
  })
  clock.nowMs += 29 * dayMs
  count(4, 0)
  t.match(await uses(), { withPkce: 7, withoutPkce: 2, suggested: false, from: day }, 'the first of thirty days counts')
  clock.nowMs += dayMs
  t.match(await uses(), { withPkce: 4, withoutPkce: 0, lastWithoutAt: null, suggested: true })
  t.equal((await manage('PATCH', `/applications/${id}`, { requirePkce: true })).statusCode, 200)
  t.match(await uses(), { required: true, suggested: false }, 'and no more when it is')
})

t.test('identity M8: not suggested while the counting is younger than thirty days and the application', async (t) => {
  const { clock, world, manage, uses, count } = await open(t)
  const { id } = await world.make.application()
  const created = Date.parse((await manage('GET', `/applications/${id}`)).json().createdAt)
  const { countedSince } = await uses(id)
  t.ok(created > Date.parse(countedSince), 'younger than the counting')
  count(1, 0, id)
  t.match(await uses(id), { suggested: true }, 'every request it ever made is known')
  clock.nowMs = Date.now() - 10 * dayMs
  const older = await world.make.application()
  clock.nowMs = Date.now() + 5 * dayMs
  count(1, 0, older.id)
  t.match(await uses(older.id), { withPkce: 1, withoutPkce: 0, suggested: false }, 'its earlier requests are not known')
  clock.nowMs = Date.now() + 32 * dayMs
  count(1, 0, older.id)
  t.match(await uses(older.id), { suggested: true })
})

t.test('identity M8: a person who may change the application requires PKCE; the ledger has it', async (t) => {
  const { world, tenantId, id, caller, manage, store } = await open(t)
  const consented = { user_id: world.a.owner, application_id: id, tenant_id: tenantId, granted_at: 1 }
  await store.transaction((tx) =>
    insertUserConsents(tx, [{ ...consented, resource: ownResource, permission_id: 'User.ReadWrite.All' }]),
  )
  caller.principal = atPortal(world.a.developer, tenantId)
  const more = { redirectUris: ['https://app.test/other'] }
  t.match(refusal(await manage('PATCH', `/applications/${id}`, more)), { status: 403, code: 'HoldsMore' })
  t.equal(
    (await manage('PATCH', `/applications/${id}`, { requirePkce: true })).statusCode,
    200,
    'it takes, gives nothing',
  )
  const back = await manage('PATCH', `/applications/${id}`, { requirePkce: false })
  t.match(refusal(back), { status: 403, code: 'HoldsMore' }, 'and back it would give')
  const rows = await store.reader.selectFrom('ledger').selectAll().where('event', '=', 'application.changed').execute()
  t.match(JSON.parse(rows.at(-1)?.details ?? ''), { requirePkce: { before: false, after: true } })
  t.match(JSON.parse(rows.at(-1)?.actor ?? ''), { kind: 'user', userId: world.a.developer })
  caller.principal = atPortal(world.a.member, tenantId)
  t.equal((await manage('PATCH', `/applications/${id}`, { requirePkce: true })).statusCode, 403)
  t.equal((await manage('GET', `/applications/${id}/pkceUse`)).statusCode, 403, 'a member sees no applications')
})

t.test('identity M8: the figures go with the application', async (t) => {
  const { id, uses, count, manage, store } = await open(t)
  count(1, 1)
  await uses()
  t.equal((await manage('DELETE', `/applications/${id}`)).statusCode, 204)
  t.same(await store.reader.selectFrom('pkce_usage').selectAll().execute(), [])
  t.equal((await manage('GET', `/applications/${id}/pkceUse`)).statusCode, 404)
})

t.test('identity M8: registration by the API stays as the specification has it', async (t) => {
  const { manage, tenantId } = await open(t)
  const request = { name: 'plain', type: 'web', tenantId, redirectUris: ['https://app.test/callback'] }
  t.match((await manage('POST', '/applications', request)).json(), { requirePkce: false })
})
