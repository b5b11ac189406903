// Explain: a call that nobody made, and why. Usage: what was called, drawn and as tables.

import t from 'tap'
import type { McpSettings, RouteSettings } from '../../src/config/settings/route-settings.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { formOf, textOf } from '../support/browser/scripted-browser.js'
import { ownResource } from '../support/rooms/directory.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const dayMs = 86_400_000
const explain = '/portal/explain'
const usageOf = ({ registration }: PortalApp, query = '') =>
  `/portal/applications/${registration.applicationId}/usage${query}`
const position = { file: '/etc/portcullis/portcullis.yaml', line: 123, column: 3 }
const target = { kind: 'url', origin: 'http://127.0.0.1:1', basePath: '' } as const
const upstream = upstreamSettings('backend', { target, identity: 'none', position })
const routeFor = (id: string): RouteSettings => ({
  ...{ id: `GET /api/v2/${id}`, path: `/api/v2/${id}`, methods: new Map([['GET', { anyOf: [[id]] }]]) },
  ...{
    resource: ownResource,
    upstream: 'backend',
    limits: [],
    bodyBytes: 1000,
    stream: false,
    onStale: 'refuse',
    position,
  },
})
const needs = (id: string) => ({ needs: { anyOf: [[id]] } })
const mcp: McpSettings = {
  versions: new Set(['2026-07-28']),
  first: needs('User.Read.All').needs,
  list: 'acquirable',
  tools: new Map([
    ['find', needs('User.Read.All')],
    ['drop', needs('assets_delete')],
  ]),
  prompts: new Map([['greet', needs('assets_delete')]]),
  resources: new Map([['desk://tickets/{id}', needs('User.Read.All')]]),
}
const server: RouteSettings = {
  ...{ ...routeFor('desk'), id: '/desk/mcp', path: '/desk/mcp', bodyBytes: 100_000 },
  ...{ methods: new Map([['POST', mcp.first]]), mcp },
}
const gate = {
  routes: [routeFor('User.Read.All'), routeFor('assets_delete'), routeFor('User.Read'), server],
  upstreams: new Map([['backend', upstream]]),
}

t.test('Explain says what the gate would do, why, and which line of the configuration decides', async (t) => {
  const testApp = await openPortal(t, gate)
  const browser = await testApp.as('developer')
  const { applicationId, name } = testApp.registration
  const form = await browser.get(`${explain}?application=${applicationId}&path=/api/v2/assets_delete`)
  t.equal(form.status, 200)
  t.match(form.body, `<option value="${applicationId}">${name}</option>`)
  t.match(form.body, 'value="/api/v2/assets_delete"')
  const ask = (fields: Record<string, string>) => browser.submit(form, 'explain-form', { method: 'GET', ...fields })
  const allowed = await ask({ path: '/api/v2/User.Read.All?x=1', application: name, who: 'application' })
  t.match(textOf(allowed, 'decision-title'), /GET \/api\/v2\/User\.Read\.All: allowed/)
  t.match(textOf(allowed, 'decision'), /Decided by route GET \/api\/v2\/User\.Read\.All,\s+portcullis\.yaml:123:3/)
  t.notMatch(allowed.body, '/etc/portcullis', 'where the file lies is nobody’s business')
  const refused = await ask({ path: '/api/v2/assets_delete', application: applicationId, who: 'application' })
  t.match(textOf(refused, 'decision-title'), /refused with 403|no token/)
  t.match(textOf(refused, 'trace'), /assets_delete \(application\): not configured, nobody consented, not in the token/)
  t.ok(textOf(refused, 'remedy').length > 20)
  const nobody = await ask({ path: '/api/v2/User.Read.All', who: 'nobody' })
  t.match(textOf(nobody, 'decision-title'), /refused with 401/)
  const nowhere = await ask({ path: '/elsewhere', who: 'nobody' })
  t.match(textOf(nowhere, 'decision-title'), /refused with 404/)
  const oneself = await ask({
    path: '/api/v2/User.Read',
    application: applicationId,
    who: 'person',
    user: 'developer-1@example.test',
  })
  t.equal(oneself.status, 200, 'anybody may ask about themselves')
  const token = await ask({ path: '/api/v2/User.Read.All', who: 'token', token: 'a.b.c' })
  t.match(textOf(token, 'decision-title'), /refused with 401/)
  t.notMatch(token.body, 'a.b.c', 'the token is not shown again')
})

t.test('Explain answers about a tool, a prompt or a resource of an MCP server', async (t) => {
  const testApp = await openPortal(t, gate)
  const browser = await testApp.as('developer')
  const form = await browser.get(explain)
  t.match(form.body, /<details id="mcp-operation">/, 'folded up until somebody asks')
  const whose = { application: testApp.registration.applicationId, who: 'application' }
  const ask = (fields: Record<string, string>) =>
    browser.submit(form, 'explain-form', { method: 'POST', path: '/desk/mcp', ...whose, ...fields })
  for (const [operation, operationName, heading] of [
    ['tool', 'find', /POST \/desk\/mcp, tool find: allowed/],
    ['tool', 'drop', /POST \/desk\/mcp, tool drop: refused with 403/],
    ['prompt', 'greet', /POST \/desk\/mcp, prompt greet: refused with 403/],
    ['resource', 'desk://tickets/7', /POST \/desk\/mcp, resource desk:\/\/tickets\/7: allowed/],
    ['tool', 'find ', /POST \/desk\/mcp, tool find\s*: refused with 404/],
    ['tool', ' ', /POST \/desk\/mcp: allowed/],
    ['nothing such', 'find', /POST \/desk\/mcp, tool find: allowed/],
  ] as const) {
    const page = await ask({ operation, operationName })
    t.match(textOf(page, 'decision-title'), heading)
  }
  const dropped = await ask({ operation: 'prompt', operationName: 'greet' })
  t.match(textOf(dropped, 'trace'), /assets_delete \(application\): not configured/)
  t.match(dropped.body, /<details id="mcp-operation" open>/, 'the question stays to be seen')
  t.match(dropped.body, /<option value="prompt" selected>/)
  t.match(dropped.body, 'value="greet"')
  const control = await ask({ operation: 'tool', operationName: 'a\u0007b' })
  t.equal(control.status, 400)
  t.match(textOf(control, 'operationName-error'), /./)
  const elsewhere = await ask({ method: 'GET', path: '/api/v2/User.Read.All', operationName: 'find' })
  t.match(textOf(elsewhere, 'decision'), /The route leads to no MCP server/)
  const linked = await browser.get(
    `${explain}?path=/desk/mcp&method=POST&operation=resource&operationName=desk%3A%2F%2Fx`,
  )
  t.match(linked.body, /<option value="resource" selected>/)
  t.match(linked.body, 'value="desk://x"')
})

t.test('Explain refuses at the field that is wrong', async (t) => {
  const testApp = await openPortal(t, gate)
  const browser = await testApp.as('developer')
  const form = await browser.get(explain)
  const elsewhere = await createTenant(testApp.writes, { name: 'Elsewhere' })
  const otherApplication = await testApp.registerDemo({ tenantId: elsewhere.tenantId })
  const other = await testApp.person('Bob', 'member')
  const own = testApp.registration.applicationId
  const cases: [string, Record<string, string>, string, RegExp][] = [
    ['no application', { who: 'application' }, 'application', /Say which application/],
    ['an unknown one', { application: 'no such' }, 'application', /no such application/],
    [
      'one of another tenant',
      { application: otherApplication.registration.applicationId },
      'application',
      /no such application/,
    ],
    ['no token', { who: 'token' }, 'token', /Paste the token/],
    ['another person', { application: own, who: 'person', user: other.email }, 'user', /Only administrators/],
    ['no method', { application: own, method: 'get' }, 'path', /./],
    ['no path', { application: own, path: '' }, 'path', /./],
  ]
  for (const [title, fields, field, expected] of cases) {
    const page = await browser.submit(form, 'explain-form', { method: 'GET', path: '/api/v2/me', ...fields })
    t.equal(page.status, 400, title)
    t.match(textOf(page, `${field}-error`), expected, title)
  }
  const administrator = await testApp.as('administrator')
  const theirs = await administrator.get(explain)
  const about = { method: 'GET', path: '/api/v2/User.Read', application: own, who: 'person' }
  const found = await administrator.submit(theirs, 'explain-form', { ...about, user: other.email })
  t.equal(found.status, 200, 'administrators ask about the people of their tenant')
  const nobody = await administrator.submit(theirs, 'explain-form', { ...about, user: 'nobody@example.test' })
  t.match(textOf(nobody, 'user-error'), /Nobody with this address/)
})

t.test('U4 what is typed into Explain is text, and its form is its own', async (t) => {
  const testApp = await openPortal(t, gate)
  const browser = await testApp.as('developer')
  const form = await browser.get(explain)
  const path = '/api/v2/"><script>alert(1)</script>'
  const page = await browser.submit(form, 'explain-form', { method: 'GET', path, operationName: path, who: 'nobody' })
  t.notMatch(page.body, '<script>alert')
  const member = await (await testApp.as('member')).get(explain)
  t.equal(member.status, 403)
  t.equal((await testApp.browser().get(explain)).status, 303)
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  t.equal((await browser.post(explain, { path: '/', method: 'GET', who: 'nobody' }, headers)).status, 403, 'U1')
})

t.test('usage: numbers, a drawing with its table, routes, and permissions in use', async (t) => {
  const testApp = await openPortal(t, gate)
  const { tenantId, registration } = testApp
  const browser = await testApp.as('developer')
  const empty = await browser.get(usageOf(testApp))
  t.match(empty.body, 'id="no-usage"')
  const route = { application_id: registration.applicationId, tenant_id: tenantId }
  const today = Math.floor(testApp.now() / dayMs)
  const none = { not_permitted: 0, limited: 0, token_refused: 0, client_errors: 0, server_errors: 0 }
  await testApp.store.transaction(async (tx) => {
    const rows = [
      { day: today, route: 'GET /api/v2/me', allowed: 1200, ...none, not_permitted: 34 },
      { day: today - 6, route: '<b>route</b>', allowed: 5, ...none, server_errors: 2 },
      { day: today - 40, route: 'GET /api/v2/me', allowed: 100, ...none },
    ]
    for (const row of rows)
      await tx
        .insertInto('route_usage')
        .values({ ...route, ...row })
        .execute()
  })
  const page = await browser.get(usageOf(testApp))
  t.match(textOf(page, 'numbers'), /Calls\s*1,239\s*Refused\s*34\s*Errors of services\s*2/)
  t.match(page.body, /role="img" aria-label="Calls in the last 30 days: 1,239, of which 34 were refused\."/)
  t.match(page.body, 'aria-describedby="by-time"', 'what is drawn stands in a table')
  t.match(textOf(page, 'by-time-0'), /21 Nov 2026\s*1,200\s*34/)
  t.notMatch(page.body, '<b>route</b>', 'U4')
  t.match(textOf(page, 'uses'), /User\.Read\.All.*Application/s)
  t.equal((page.body.match(/<g>/g) ?? []).length, 30)
  t.match(textOf(await browser.get(usageOf(testApp, '?days=90')), 'numbers'), /1,339/)
  const odd = await browser.get(usageOf(testApp, '?days=100000'))
  t.equal((odd.body.match(/<g>/g) ?? []).length, 30, 'another stretch is none')
  await checkRefusals(t, testApp, { path: usageOf(testApp) })
  const all = await browser.get('/portal/usage?days=7')
  t.match(textOf(all, 'numbers'), /Calls\s*1,239/, 'the tenant as a whole')
  const line = `by-application-${registration.applicationId}`
  t.match(textOf(all, line), /demo\s*1,239\s*34\s*2/, 'by application')
  t.match(all.body, `href="${usageOf(testApp, '?days=7')}"`, 'with the way to its own page')
  t.equal((await (await testApp.as('member')).get('/portal/usage')).status, 403)
  const { tenantId: elsewhere } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const theirs = await (await testApp.as('owner', elsewhere)).get('/portal/usage')
  t.match(textOf(theirs, 'numbers'), /Calls\s*0/, 'U2 of another tenant nothing is counted in')
  t.match(theirs.body, 'No calls in this time')
})

t.test('who still calls a route: of the last hour, the last day or days, searched, with the way to each', async (t) => {
  const testApp = await openPortal(t, gate)
  const { tenantId, registration } = testApp
  const { tenantId: elsewhere } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const guest = await testApp.registerDemo({ tenantId: elsewhere, name: '<i>guest</i>', audience: 'any' })
  const call = (applicationId: string, id: string, times: number) => {
    const principal = { kind: 'application', applicationId, tenantId, resource: ownResource } as never
    for (let i = 0; i < times; i += 1) testApp.usage.allowed(principal, { id }, [])
  }
  call(registration.applicationId, 'GET /posts', 7)
  call(registration.applicationId, 'POST /posts', 2)
  call(guest.registration.applicationId, 'GET /posts', 3)
  await testApp.usage.flush()
  const browser = await testApp.as('developer')
  for (const query of ['last=1h', 'last=24h', 'days=7']) {
    const page = await browser.get(`/portal/usage?${query}`)
    t.match(textOf(page, 'numbers'), /Calls\s*12/, query)
    t.match(textOf(page, 'who-calls-0'), /GET \/posts\s*demo\s*7/, query)
    t.match(textOf(page, 'who-calls-1'), /GET \/posts.*guest.*of another tenant\s*3/s, query)
    t.notMatch(page.body, '<i>guest', 'U4')
    t.match(page.body, `href="${usageOf(testApp, `?${query}`)}"`, 'the way to the application, in the same stretch')
    t.match(page.body, `href="/portal/usage?${query}&amp;route=GET+%2Fposts"`, 'the way to the route')
  }
  const hour = await browser.get('/portal/usage?last=1h')
  t.equal((hour.body.match(/<g>/g) ?? []).length, 60, 'a bar for each minute')
  t.match(
    hour.body,
    /class="scale" aria-hidden="true"><span>15<\/span><span>10<\/span><span>5<\/span><span>0</,
    'whole numbers',
  )
  const one = await browser.get('/portal/usage?last=1h&route=GET%20/posts')
  t.match(textOf(one, 'numbers'), /Calls\s*10/)
  t.match(textOf(one, 'who-calls-title'), 'Who calls GET /posts')
  t.match(one.body, 'href="/portal/usage?days=7&amp;route=GET+%2Fposts"', 'other stretches keep the route')
  const found = await browser.get(
    `/portal/usage?${new URLSearchParams({ ...formOf(hour, 'who-calls-form').fields, search: 'DEMO' })}`,
  )
  t.match(textOf(found, 'who-calls'), /GET \/posts.*POST \/posts/s)
  t.notMatch(textOf(found, 'who-calls'), 'guest')
  t.match(
    textOf(await browser.get('/portal/usage?last=1h&search=%3Cb%3E'), 'no-pairs'),
    'Nothing that was called in the last hour',
  )
  t.match((await browser.get('/portal/usage?last=1h&route=GET%20/nothing')).body, 'id="no-usage"')
  t.match(textOf(await browser.get(usageOf(testApp, '?last=24h&route=POST%20/posts')), 'numbers'), /Calls\s*2/)
})
