// Rules of tenants for tools through the management API: what is taken and what refused, who may, what two at once do,
// and what the ledger says of it.

import t, { type Test } from 'tap'
import type { Presented } from '../../src/management/dependencies.js'
import { deskRoute, needing } from '../support/mcp/desk-route.js'
import { atPortal, openWorld } from '../support/models/isolation.js'
import { urlTarget } from '../support/rooms/http-gate.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const route = '/desk/mcp'

async function open(t: Test) {
  const desk = deskRoute({ find: needing('User.Read.All'), close: needing('User.Read.All', 'Subscription.Read.All') })
  const upstreams = new Map([['desk', upstreamSettings('desk', { target: urlTarget(9) })]])
  const world = await openWorld(await openManagement(t, { routes: [desk], upstreams }))
  const { testApp, tenantA, tenantB } = world
  testApp.caller.principal = { kind: 'local' }
  const path = `/tenants/${tenantA}/toolRules`
  const as = (who: Presented) => {
    testApp.caller.principal = who
    return testApp
  }
  const rules = async (tenantId = tenantA) => {
    const said = await testApp.directory.findToolRules(tenantId)
    return said?.all.map(({ tool, rule }) => `${tool} ${rule}`)
  }
  const events = async () =>
    (
      await testApp.store.reader
        .selectFrom('ledger')
        .selectAll()
        .where('event', '=', 'tenant.tool-rule-changed')
        .orderBy('position')
        .execute()
    ).map(({ details, tenant_id }) => ({ ...JSON.parse(details), tenantId: tenant_id }))
  return { ...world, path, otherPath: `/tenants/${tenantB}/toolRules`, as, rules, events }
}

const one = (tool: string, rule: string, at = route) => ({ rules: [{ route: at, tool, rule }] })

t.test(
  'every tool of the configuration is listed; what is said of one holds at once and leaves the others',
  async (t) => {
    const { testApp, path, otherPath, rules, events, tenantA } = await open(t)
    const before = (await testApp.manage('GET', path)).json()
    const line = { route, rule: 'allowed', floor: 'allowed' }
    t.match(before, {
      tenantId: tenantA,
      value: [
        { ...line, tool: 'find', needs: [['User.Read.All']] },
        { ...line, tool: 'close', needs: [['User.Read.All', 'Subscription.Read.All']] },
      ],
    })
    t.same(await rules(), [], 'it is in memory')
    const changed = await testApp.manage('PATCH', path, one('close', 'second_factor'))
    t.equal(changed.statusCode, 200, changed.body)
    t.match(changed.json().value, [{ rule: 'allowed' }, { rule: 'second_factor' }])
    t.same(await rules(), ['close second_factor'], 'and so is the change, before its answer')
    await testApp.manage('PATCH', path, one('find', 'never'))
    await testApp.manage('PATCH', path, one('close', 'allowed'))
    t.same(await rules(), ['find never'])
    await testApp.manage('PATCH', path, one('find', 'never'))
    const of = { route, tenantId: tenantA }
    t.same(
      await events(),
      [
        { ...of, tool: 'close', before: 'allowed', after: 'second_factor' },
        { ...of, tool: 'find', before: 'allowed', after: 'never' },
        { ...of, tool: 'close', before: 'second_factor', after: 'allowed' },
      ],
      'what changes nothing is not noted',
    )
    t.match((await testApp.manage('GET', otherPath)).json().value, [{ rule: 'allowed' }, { rule: 'allowed' }])
  },
)

t.test('what is wrong changes nothing, also what stands beside it', async (t) => {
  const { testApp, path, rules } = await open(t)
  const good = { route, tool: 'find', rule: 'never' }
  const rows: readonly (readonly [unknown, string])[] = [
    [{ rules: [good, { ...good, tool: 'fnid' }] }, 'UnknownTool'],
    [{ rules: [good, { ...good, route: '/other/mcp' }] }, 'UnknownTool'],
    [{ rules: [good, { ...good, rule: 'sometimes' }] }, 'InvalidRequest'],
    [{ rules: [{ ...good, also: true }] }, 'InvalidRequest'],
    [{ rules: [] }, 'InvalidRequest'],
    [{}, 'InvalidRequest'],
  ]
  for (const [body, code] of rows) {
    t.match(refusal(await testApp.manage('PATCH', path, body)), { status: 400, code }, JSON.stringify(body))
  }
  t.same(await rules(), [])
  const nowhere = '/tenants/00000000-0000-4000-8000-000000000000/toolRules'
  t.match(refusal(await testApp.manage('PATCH', nowhere, one('find', 'never'))), { status: 404 })
  t.match(refusal(await testApp.manage('GET', nowhere)), { status: 404 })
})

t.test('administrators decide in their own tenant, and nobody else', async (t) => {
  const { path, a, tenantA, tenantB, ownerOfB, as, rules } = await open(t)
  for (const role of ['member', 'developer'] as const) {
    const answer = await as(atPortal(a[role], tenantA)).manage('PATCH', path, one('find', 'never'))
    t.equal(answer.statusCode, 403, role)
  }
  const other = await as(atPortal(ownerOfB, tenantB)).manage('PATCH', path, one('find', 'never'))
  t.equal(other.statusCode, 404)
  t.same(await rules(), [])
  const own = await as(atPortal(a.administrator, tenantA)).manage('PATCH', path, one('find', 'never'))
  t.equal(own.statusCode, 200, own.body)
  t.same(await rules(), ['find never'])
})

t.test('who takes a tool away needs no recent sign-in; whatever else is said does', async (t) => {
  const { testApp, path, a, tenantA, as } = await open(t)
  const authTime = Math.floor(testApp.clock.nowMs / 1000) - 86_400
  const long = atPortal(a.administrator, tenantA, { authTime, acr: '1' })
  t.equal((await as(long).manage('PATCH', path, one('find', 'never'))).statusCode, 200)
  for (const rule of ['allowed', 'approval', 'second_factor']) {
    const refused = refusal(await as(long).manage('PATCH', path, one('find', rule)))
    t.match(refused, { status: 401, code: 'RecentSignInRequired' }, rule)
  }
})

t.test('two administrators: other tools do not undo each other, and the later one of a list hears of it', async (t) => {
  const { testApp, path, rules } = await open(t)
  const tag = String((await testApp.manage('GET', path)).headers['etag'])
  const both = await Promise.all([
    testApp.manage('PATCH', path, one('find', 'never')),
    testApp.manage('PATCH', path, one('close', 'approval')),
  ])
  t.same(
    both.map(({ statusCode }) => statusCode),
    [200, 200],
  )
  t.same(await rules(), ['close approval', 'find never'])
  const late = await testApp.manage('PATCH', path, one('close', 'allowed'), { 'if-match': tag })
  t.match(refusal(late), { status: 412, code: 'PreconditionFailed' })
  t.same(await rules(), ['close approval', 'find never'])
})

t.test('of a tool that the configuration names no more, what was said can still be taken back', async (t) => {
  const { testApp, path, tenantA, rules } = await open(t)
  const row = { tenant_id: tenantA, route: '/old/mcp', tool: 'gone', rule: 'a rule of later', updated_at: 1 }
  await testApp.feed.commit(async (tx, record) => {
    await tx.insertInto('tool_rules').values(row).execute()
    record({ kind: 'tenant', tenantId: tenantA, state: 'enabled' })
  })
  t.same(await rules(), ['gone never'], 'what is not understood opens nothing')
  t.match((await testApp.manage('GET', path)).json().value[2], { tool: 'gone', needs: [], rule: 'never' })
  t.equal((await testApp.manage('PATCH', path, one('gone', 'allowed', '/old/mcp'))).statusCode, 200)
  t.same(await rules(), [])
})
