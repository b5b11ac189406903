// identity H3: administrators learn of redirect origins that came after a registration (contract §8, decision 84).

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Presented } from '../../src/management/dependencies.js'
import { atPortal, openWorld, type World, withToken } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const first = 'https://diary.test/back'
const fresh = 'https://dora.example/steal'

async function open(t: Test): Promise<World & { id: string }> {
  const world = await openWorld(await openManagement(t))
  const { testApp, tenantA } = world
  testApp.caller.principal = { kind: 'local' }
  const body = { name: `diary ${randomUUID()}`, type: 'web', redirectUris: [first], tenantId: tenantA }
  return { ...world, id: (await testApp.manage('POST', '/applications', body)).json().applicationId }
}

async function listed({ testApp }: World, principal: Presented, path: string) {
  testApp.caller.principal = principal
  return (await testApp.manage('GET', `${path}/newRedirectOrigins`)).json().value
}

t.test('identity H3: a new redirect origin is listed, with who added it, until it is dismissed', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, id } = world
  const [administrator, path] = [atPortal(a.administrator, tenantA), `/applications/${id}`]
  t.same(await listed(world, administrator, `/tenants/${tenantA}`), [], 'that of the registration is not new')
  const change = async (redirectUris: string[]) => {
    t.equal((await testApp.manage('PATCH', path, { redirectUris })).statusCode, 200)
  }
  await change([first, 'https://diary.test/another'])
  t.same(await listed(world, administrator, path), [], 'nor another path of it')
  await change([first, fresh, `${fresh}/two`])
  const expected = [
    { applicationId: id, applicationName: /^diary/, origin: 'https://dora.example', addedBy: a.administrator },
  ]
  t.match(await listed(world, administrator, path), expected)
  const [shown] = await listed(world, administrator, `/tenants/${tenantA}`)
  t.match(shown, expected[0])
  testApp.clock.nowMs += 1000
  await change([first, fresh, 'https://third.example/back'])
  const until = encodeURIComponent(shown.addedAt)
  t.equal((await testApp.manage('DELETE', `${path}/newRedirectOrigins?until=${until}`)).statusCode, 204)
  t.match(
    await listed(world, administrator, path),
    [{ origin: 'https://third.example' }],
    'what came after that was not seen',
  )
  await change([first])
  t.equal((await listed(world, administrator, path)).length, 1, 'nobody takes their traces away with it')
  await change([first, fresh])
  t.equal((await listed(world, administrator, path)).length, 2, 'removed and added again it is new')
  const rows = await testApp.store.reader
    .selectFrom('ledger')
    .select('details')
    .where('event', '=', 'application.redirect-origins-dismissed')
    .execute()
  t.same(
    rows.map(({ details }) => JSON.parse(details)),
    [{ origins: ['https://dora.example'] }],
  )
  await testApp.manage('DELETE', path)
  t.same(await listed(world, administrator, `/tenants/${tenantA}`), [], 'they leave with the application')
})

t.test('identity H3: administrators alone dismiss them, of their own tenant', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, tenantB, a, ownerOfB, id } = world
  await testApp.manage('PATCH', `/applications/${id}`, { redirectUris: [first, fresh] })
  await testApp.manage('POST', `/applications/${id}/owners`, { userId: a.developer })
  const path = `/applications/${id}/newRedirectOrigins`
  const until = `${path}?until=2999-01-01T00:00:00Z`
  for (const [who, principal, status] of [
    ['a developer who owns it', atPortal(a.developer, tenantA), 403],
    ['her token', withToken(world, tenantA, ['Application.ReadWrite.All'], a.developer), 403],
    ['an application', withToken(world, tenantA, ['Application.ReadWrite.All']), 403],
    ['an administrator of another tenant', atPortal(ownerOfB, tenantB), 404],
  ] as const) {
    testApp.caller.principal = principal
    t.equal((await testApp.manage('DELETE', until)).statusCode, status, who)
  }
  t.equal(
    (await testApp.manage('GET', `/tenants/${tenantA}/newRedirectOrigins`)).statusCode,
    404,
    'nor do they see them',
  )
  testApp.caller.principal = { kind: 'local' }
  t.match(refusal(await testApp.manage('GET', `/tenants/${randomUUID()}/newRedirectOrigins`)), { status: 404 })
  for (const query of ['', '?until=', '?until=yesterday-afternoon-or-so', '?until=2999-01-01T00:00:00Z&more=1']) {
    t.equal((await testApp.manage('DELETE', `${path}${query}`)).statusCode, 400, query)
  }
  t.equal((await testApp.manage('DELETE', until)).statusCode, 204)
  t.equal((await testApp.manage('DELETE', until)).statusCode, 204, 'twice is once')
})

t.test('identity H3: what people are sent to stays listed behind a hundred that were there for a moment', async (t) => {
  const world = await open(t)
  const { testApp, id } = world
  await testApp.manage('PATCH', `/applications/${id}`, { redirectUris: [first, fresh] })
  for (const from of [100, 200, 300]) {
    testApp.clock.nowMs += 1000
    const many = Array.from({ length: 90 }, (_, n) => `https://o${from + n}.example/back`)
    t.equal(
      (await testApp.manage('PATCH', `/applications/${id}`, { redirectUris: [first, fresh, ...many] })).statusCode,
      200,
    )
  }
  testApp.clock.nowMs += 1000
  await testApp.manage('PATCH', `/applications/${id}`, { redirectUris: [first, fresh] })
  const kept: { origin: string }[] = await listed(world, { kind: 'local' }, `/applications/${id}`)
  t.ok(kept.some(({ origin }) => origin === 'https://dora.example'))
  t.ok(kept.length <= 200, 'there is an end to them all the same')
})

t.test('identity H3: of one application the newest hundred are kept', async (t) => {
  const world = await open(t)
  const { testApp, id } = world
  const origins = (from: number) => Array.from({ length: 60 }, (_, n) => `https://o${from + n}.example/back`)
  await testApp.manage('PATCH', `/applications/${id}`, { redirectUris: origins(100) })
  testApp.clock.nowMs += 1000
  await testApp.manage('PATCH', `/applications/${id}`, { redirectUris: origins(200) })
  const kept = (await listed(world, { kind: 'local' }, `/applications/${id}`)).map(
    ({ origin }: { origin: string }) => origin,
  )
  t.equal(kept.length, 100)
  t.same(kept.filter((origin: string) => /o2\d\d/.test(origin)).length, 60)
})
