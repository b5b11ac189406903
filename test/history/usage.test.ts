// Calls of the last hour and the last day over the management API: by time, route, application, and who calls what.

import t, { type Test } from 'tap'
import type { TokenPrincipal } from '../../src/access/principal.js'
import type { UsageAnswer } from '../../src/management/permissions/usage-schemas.js'
import { atPortal, openWorld, withToken } from '../support/models/isolation.js'
import { ownResource } from '../support/rooms/directory.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const permissions = [{ kind: 'application' as const, resource: ownResource, id: 'User.Read.All' }]

async function open(t: Test) {
  const testApp = await openManagement(t)
  const world = await openWorld(testApp)
  const { tenantA: tenantId, tenantB } = world
  const register = async (name: string, where = tenantId) =>
    (await testApp.registerDemo({ name, tenantId: where, permissions, audience: 'any' })).registration.applicationId
  const ids = {
    reader: await register('reader'),
    writer: await register('writer'),
    other: await register('other', tenantB),
  }
  const call = (applicationId: string, route: string, times = 1, where = tenantId) => {
    const about = { applicationId, tenantId: where, resource: ownResource }
    const principal = { kind: 'application', ...about } as unknown as TokenPrincipal
    for (let i = 0; i < times; i += 1) testApp.usage.allowed(principal, { id: route }, [])
    return principal
  }
  const ask = async (query: string): Promise<UsageAnswer> => (await testApp.manage('GET', `/usage?${query}`)).json()
  return { ...testApp, world, tenantId, tenantB, ids, call, ask }
}

const counts = (answer: UsageAnswer) => answer.value.filter(({ allowed }) => allowed > 0).map(({ allowed }) => allowed)

t.test('the last hour by minute and the last day by quarter of an hour, what was just called included', async (t) => {
  const { clock, ids, call, ask, tenantId, usage } = await open(t)
  const refused = call(ids.reader, 'GET /posts', 3)
  usage.refused(refused, 'GET /posts', 403)
  const hour = await ask(`last=1h&tenantId=${tenantId}`)
  t.match(hour, { by: 'time', slotSeconds: 60, complete: true, tenantId })
  t.equal(hour.value.length, 60)
  t.same(counts(hour), [3])
  t.match(hour.value.at(-1), { allowed: 3, refused: { permission: 1, limit: 0, token: 0 } })
  t.equal(hour.value.at(-1)?.key, new Date(Math.floor(clock.nowMs / 60_000) * 60_000).toISOString())
  clock.nowMs += 90 * 60_000
  call(ids.reader, 'GET /posts')
  t.same(counts(await ask('last=1h')), [1])
  const day = await ask('last=24h')
  t.match(day, { slotSeconds: 900, by: 'time' })
  t.same([day.value.length, counts(day)], [96, [3, 1]])
})

t.test('who still calls a route: by route and application, lately and by days, with names', async (t) => {
  const { ids, call, ask, usage, tenantId } = await open(t)
  call(ids.reader, 'GET /posts', 5)
  call(ids.writer, 'GET /posts', 2)
  call(ids.writer, 'POST /posts', 4)
  await usage.flush()
  const expected = [
    { key: 'GET /posts', applicationId: ids.reader, name: 'reader', allowed: 5 },
    { key: 'POST /posts', applicationId: ids.writer, name: 'writer', allowed: 4 },
    { key: 'GET /posts', applicationId: ids.writer, name: 'writer', allowed: 2 },
  ]
  t.match((await ask('last=1h&by=route,application')).value, expected, 'the most called first')
  const days = await ask(`by=route,application&tenantId=${tenantId}`)
  t.match(
    days.value.sort((a, b) => b.allowed - a.allowed),
    expected,
  )
  for (const stretch of ['last=1h&', 'last=24h&', '']) {
    const who = (await ask(`${stretch}by=application&route=${encodeURIComponent('GET /posts')}`)).value
    t.same(Object.fromEntries(who.map(({ name, allowed }) => [name, allowed])), { reader: 5, writer: 2 }, stretch)
    t.same((await ask(`${stretch}by=application&route=GET%20/nothing`)).value, [])
  }
  t.match((await ask('last=1h&by=route&applicationId=writer')).value, [{ key: 'POST /posts' }, { key: 'GET /posts' }])
})

t.test('U2 nobody sees what is called in another tenant; an application sees itself', async (t) => {
  const { world, ids, call, ask, caller, tenantId, tenantB } = await open(t)
  call(ids.reader, 'GET /posts', 5)
  call(ids.other, 'GET /posts', 7, tenantB)
  call(ids.other, 'GET /posts', 1)
  t.same(counts(await ask('last=1h')), [13], 'the local socket sees all of it')
  caller.principal = atPortal(world.a.developer, tenantId)
  t.same(counts(await ask('last=1h')), [6])
  t.match((await ask('last=1h&by=application')).value, [{ name: 'reader' }, { name: 'other', allowed: 1 }])
  caller.principal = { ...withToken(world, tenantId, []), applicationId: ids.reader } as TokenPrincipal
  t.match((await ask('last=24h&by=route,application')).value, [{ key: 'GET /posts', name: 'reader', allowed: 5 }])
})

t.test('what does not go together is refused', async (t) => {
  const { manage } = await open(t)
  for (const query of [
    'last=2h',
    'by=time',
    'last=1h&by=day',
    'last=1h&from=2026-01-01',
    'last=1h&to=2026-01-01',
    'route=',
  ]) {
    t.match(refusal(await manage('GET', `/usage?${query}`)), { status: 400, code: 'InvalidRequest' }, query)
  }
})
