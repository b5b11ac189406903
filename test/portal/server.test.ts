// The pages of operators (tenants, keys, routes, status) and the page of a tenant: what they show, what they change,
// and whom they refuse.

import t from 'tap'
import type { Problem } from '../../src/config/report/problem.js'
import type { RouteSettings } from '../../src/config/settings/route-settings.js'
import { changeTenantBrand } from '../../src/directory/brands/tenant-brand.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { pngFile } from '../support/brands/pictures.js'
import { formOf, textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const pages = ['tenants', 'keys', 'routes', 'status', 'brands'].map((name) => `/portal/server/${name}`)
const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
const payload = '<img src=x onerror=alert(1)>'

async function open(...[t, options]: Parameters<typeof openPortal>) {
  const testApp = await openPortal(t, options)
  const operator = await testApp.as('owner')
  const [{ id = '' } = {}] = await testApp.store.reader.selectFrom('users').select('id').execute()
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/users/${id}`, { operator: true })
  return { testApp, operator }
}

t.test('only operators see the server, whatever their role, and the navigation names it to nobody else', async (t) => {
  const { testApp, operator } = await open(t)
  for (const path of pages) {
    t.equal((await testApp.browser().get(path)).status, 303, `${path} signed out`)
    for (const role of ['member', 'developer', 'administrator', 'owner'] as const) {
      const refused = await (await testApp.as(role)).get(path)
      t.equal(refused.status, 403, `${path} as ${role}`)
      t.notMatch(refused.body, 'Signing keys')
    }
    const shown = await operator.get(path)
    t.equal(shown.status, 200, path)
    t.match(shown.body, 'Signing keys')
  }
  const events = (await testApp.events()).length
  const owner = await testApp.as('owner')
  const page = await operator.get('/portal/server/keys')
  const token = /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const sent = await owner.post('/portal/server/keys', { form_token: token, when: 'now' }, headers)
  t.equal(sent.status, 403, 'U1 a form that was shown to somebody else')
  t.equal((await testApp.events()).slice(events).filter(({ event }) => event.startsWith('key.')).length, 0)
})

t.test('tenants are made, and switched off and on', async (t) => {
  const { testApp, operator } = await open(t)
  const path = '/portal/server/tenants'
  const wrong = await operator.submit(await operator.get(path), 'new-form', { name: ' ' })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong, 'name-error'), /name/i)
  const made = await operator.submit(await operator.get(path), 'new-form', { name: payload })
  t.match(textOf(made, 'done'), /The tenant is there/)
  t.notMatch(made.body, payload, 'U4 inert')
  t.notMatch(made.body, 'user recover', 'which takes the second factor from who has an account')
  t.match(textOf(made, 'invite-command'), /^portcullis user invite \S+ --tenant [0-9a-f-]{36} --role owner$/)
  t.equal((await operator.submit(made, 'first-owner-form', { email: 'nobody' })).status, 400)
  const invited = await operator.submit(made, 'first-owner-form', { email: 'zoe@example.test' })
  t.equal(invited.status, 201)
  t.match(invited.body, /value="https:[^"]+"/, 'the link, where there is no mail')
  const full = await operator.get('/portal/server/tenants/owner')
  t.match(textOf(full, 'has-people'), /belong to this tenant already/)
  t.notMatch(full.body, 'first-owner-form')
  t.notMatch(full.body, 'invite-command', 'nor the command that would be refused')
  const other = await createTenant(testApp.writes, { name: 'Fabrikam' })
  await testApp.person('Fay', 'owner', other.tenantId)
  const { fields } = formOf(made, 'first-owner-form')
  const there = `/portal/server/tenants/owner?of=${other.tenantId}`
  const elsewhere = await operator.post(there, { ...fields, email: 'zoe@example.test' }, headers)
  t.equal(elsewhere.status, 404, 'an operator invites nobody where somebody is')
  const list = await operator.get(path)
  testApp.caller.principal = { kind: 'local' }
  const tenants: { tenantId: string; name: string; state: string }[] = (await testApp.manage('GET', '/tenants')).json()
    .value
  const { tenantId = '' } = tenants.find(({ name }) => name === payload) ?? {}
  const ulf = await testApp.as('member', tenantId)
  t.notMatch((await ulf.open('/portal/tenant')).body, 'tenant-off')
  const prompt = await operator.submit(list, `switch-${tenantId}`)
  t.match(textOf(prompt, 'consequences'), /Applications.*Calls in the last hour/s)
  testApp.caller.principal = { kind: 'local' }
  t.match(
    (await testApp.manage('GET', `/tenants/${tenantId}`)).json(),
    { state: 'enabled' },
    'a question changes nothing',
  )
  const off = await operator.submit(prompt, 'confirm-form')
  t.match(textOf(off, `tenant-${tenantId}`), 'off')
  t.match(textOf(await ulf.open('/portal/tenant'), 'tenant-off'), /is switched off.*refused/s, 'on each of its pages')
  const on = await operator.submit(off, `switch-${tenantId}`)
  t.match(textOf(on, 'done'), 'switched on')
  const actors = (await testApp.events())
    .filter(({ event }) => event.startsWith('tenant.'))
    .map(({ actor }) => actor.kind)
  t.same(actors.slice(-2), ['user', 'user'], 'X6 in the name of the person')
})

t.test('keys get successors, in turn or at once', async (t) => {
  const { operator } = await open(t)
  const path = '/portal/server/keys'
  const states = (body: string) => [...body.matchAll(/published, not signing yet/g)].length
  const before = await operator.get(path)
  t.equal(states(before.body), 0)
  const turned = await operator.submit(before, 'rotate-form', { when: 'turn' })
  t.match(textOf(turned, 'done'), 'Successors are published')
  t.ok(states(turned.body) > 0)
  const question = await operator.submit(turned, 'rotate-form', { when: 'now' })
  t.match(textOf(question, 'consequences'), /Calls in the last hour/)
  const replaced = await operator.submit(question, 'confirm-form')
  t.match(textOf(replaced, 'done'), 'New keys sign')
  t.notMatch(replaced.body, /"d":/, 'M3 no private part')
})

t.test('routes say what they need and which line of the configuration says so', async (t) => {
  const route: RouteSettings = {
    ...{ id: 'GET /api/v2/me', path: '/api/v2/me', resource: 'https://portcullis.test/api/v2', upstream: 'backend' },
    methods: new Map([['GET', { anyOf: [['User.Read.All'], ['User.Read']] }]]),
    ...{ limits: ['application'], bodyBytes: 1024, stream: false, onStale: 'refuse' },
    position: { file: '/etc/portcullis/portcullis.yaml', line: 12, column: 3 },
  }
  const upstreams = new Map([
    [
      'backend',
      upstreamSettings('backend', {
        target: { kind: 'url', origin: 'https://backend.test', basePath: '' },
        ...{ identity: 'none', position: route.position },
      }),
    ],
  ])
  const limits = new Map([
    [
      'application',
      {
        ...{ name: 'application', by: ['application' as const] },
        algorithm: { kind: 'rate' as const, limit: 1, periodMs: 1000, burst: 1 },
      },
    ],
  ])
  const { operator, testApp } = await open(t, { routes: [route], upstreams, limits })
  testApp.metrics.httpRequests.labels('GET /api/v2/me', 'GET', '200', 'upstream').inc(1234)
  testApp.metrics.httpRequests.labels('GET /api/v2/me', 'GET', '502', 'upstream').inc(5)
  const page = await operator.get('/portal/server/routes')
  t.match(textOf(page, 'route-0'), /application1 in 1 s, by application\s*1,239\s*5/)
  for (const search of ['API/v2', 'user.read.all', 'back', 'yaml:12', 'application']) {
    t.match((await operator.get(`/portal/server/routes?search=${search}`)).body, 'id="route-0"', search)
  }
  const none = await operator.get(`/portal/server/routes?search=${encodeURIComponent(payload)}`)
  t.match(none.body, 'id="nothing-found"')
  t.notMatch(none.body, payload, 'U4')
  t.match(textOf(page, 'route-0'), /portcullis.yaml:12:3.*User.Read.All, or User.Read.*backend.*application/s)
  const empty = await (await open(t)).operator.get('/portal/server/routes')
  t.match(empty.body, 'There are no routes')
})

t.test('status says what is away', async (t) => {
  const { testApp, operator } = await open(t)
  t.match(textOf(await operator.get('/portal/server/status'), 'health'), 'Ready')
  Object.assign(testApp.view, { isStale: () => true })
  t.match(textOf(await operator.get('/portal/server/status'), 'status'), 'too old to decide on')
})

t.test('status says that the files of the configuration are refused, and what is wrong with them', async (t) => {
  let refused: Problem[] | undefined
  const { operator } = await open(t, {
    refusedConfiguration: () => refused && { since: Date.UTC(2026, 0, 2), problems: refused },
  })
  const page = () => operator.get('/portal/server/status')
  t.notMatch((await page()).body, 'id="mistakes"')
  refused = [{ file: 'rules.yaml', line: 1, column: 2, path: 'routes', message: payload }]
  const shown = await page()
  t.match(textOf(shown, 'mistakes'), /What was read before stays in effect.*rules\.yaml:1:2 routes: /s)
  t.notMatch(shown.body, payload, 'U4 inert')
  t.notMatch(textOf(shown, 'mistakes'), 'more')
  refused = Array.from({ length: 12 }, (_, line) => ({ file: 'a', line, column: 1, path: 'b', message: 'no' }))
  t.match(textOf(await page(), 'mistakes'), 'There are 2 more.')
})

t.test('status shows the targets that are down', async (t) => {
  const eject = { failures: 1, forMs: 60_000, maxPercent: 50 }
  const target = { kind: 'url', origin: 'https://box.test', basePath: '' } as const
  const upstreams = new Map([['box', upstreamSettings('box', { target, eject })]])
  const { testApp, operator } = await open(t, { upstreams })
  const path = '/portal/server/status'
  const page = await operator.get(path)
  t.match(textOf(page, 'status'), /Targets up\s*1 of 1/)
  t.notMatch(page.body, 'Targets that are down')
  const box = testApp.gate.upstreams().get('box')
  for (const target of box?.targets ?? []) box?.candidates.failed(target)
  const down = await operator.get(path)
  t.match(textOf(down, 'status'), /Targets up\s*0 of 1/)
  t.match(textOf(down, 'target-0'), /box.*Requests to it fail/s)
})

t.test('the tenant: everybody sees what it is, administrators change it', async (t) => {
  const testApp = await openPortal(t)
  const path = '/portal/tenant'
  for (const role of ['member', 'developer'] as const) {
    const page = await (await testApp.as(role)).open('/portal/tenant')
    t.equal(page.status, 200)
    t.match(textOf(page, 'tenant'), new RegExp(`${testApp.tenantId}.*${role}`, 's'))
    t.notMatch(page.body, 'tenant-form')
  }
  t.equal((await (await testApp.as('member')).open('/portal')).path, path, 'where members begin')
  const administrator = await testApp.as('administrator')
  const page = await administrator.get(path)
  const wrong = await administrator.submit(page, 'tenant-form', { name: '\u202e', devices: 'allowed' })
  t.equal(wrong.status, 400)
  t.match(wrong.body, 'name-error')
  const done = await administrator.submit(page, 'tenant-form', {
    name: `Fabrikam ${payload}`,
    consent: 'administrators',
    devices: 'allowed',
  })
  t.match(textOf(done, 'done'), 'changed')
  t.notMatch(done.body, payload, 'U4 inert')
  t.match(done.body, /id="consent-administrators"[^>]*checked/)
  const developer = await testApp.as('developer')
  const { body } = await administrator.get(path)
  const token = /name="form_token" value="([^"]+)"/.exec(body)?.[1] ?? ''
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const forged = await developer.post(path, { form_token: token, name: 'Mine' }, headers)
  t.equal(forged.status, 403, 'U1 a form that was shown to somebody else')
})

t.test('C17 operators look at the brand of a tenant or an application, and take it away with a reason', async (t) => {
  const { testApp, operator } = await open(t)
  const { tenantId, registration } = testApp
  const { applicationId } = registration
  const api = (method: 'PATCH' | 'GET', path: string, body?: object) => {
    testApp.caller.principal = { kind: 'local' }
    return testApp.manage(method, path, body)
  }
  const logo = pngFile(32, 32).toString('base64')
  const writes = { ...testApp.writes }
  await changeTenantBrand(writes, tenantId, { name: 'Post Office', logo, terms: 'https://post.example/terms' })
  await api('PATCH', `/applications/${applicationId}/brand`, { home: 'https://post.example/', logo })
  const path = '/portal/server/brands'
  const missing = await operator.get(`${path}?search=${encodeURIComponent('<b>nobody')}`)
  t.equal(missing.status, 404)
  t.match(textOf(missing, 'nothing-found'), /No tenant and no application has the identifier/)
  t.notMatch(missing.body, '<b>nobody')
  const ofTenant = await operator.get(`${path}?search=${tenantId}`)
  t.match(
    ofTenant.body,
    /Post Office[\s\S]*<img src="\/brand\/[0-9a-f]{40}\.png" width="32" height="32" alt="A logo of Post Office"/,
  )
  t.match(textOf(ofTenant, 'brand-said'), /https:\/\/post\.example\/terms/)
  const silent = await operator.submit(ofTenant, 'remove-form', { reason: '' })
  t.equal(silent.status, 400)
  t.match(textOf(silent, 'reason-error'), /./)
  const done = await operator.submit(ofTenant, 'remove-form', { reason: 'It passes for the post office.' })
  t.match(textOf(done, 'done'), /taken away/)
  t.match(textOf(done, 'says-nothing'), /look like this server/)
  t.notMatch(done.body, 'remove-form')
  const ofApplication = await operator.get(`${path}?search=${applicationId}`)
  t.match(textOf(ofApplication, 'brand-said'), /Registered by/)
  await operator.submit(ofApplication, 'remove-form', { reason: 'It passes for the post office.' })
  t.match((await api('GET', `/applications/${applicationId}/brand`)).json(), { home: '', logo: null })
  const events = (await testApp.events()).filter(({ event }) => event.endsWith('.brand-changed')).slice(-2)
  for (const { details } of events) t.match(JSON.stringify(details), 'It passes for the post office.')
  const administrator = await testApp.as('administrator')
  t.match((await administrator.get('/portal/audit')).body, 'brand')
  t.match((await operator.get('/portal/server/tenants')).body, `/portal/server/brands?search=${tenantId}`)
})
