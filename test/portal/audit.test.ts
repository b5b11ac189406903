// The audit of a tenant at the portal: what was done and what failed, filtered, a page at a time, and taken along.

import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { factsOf } from '../../src/portal/audit/event-facts.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'

const path = '/portal/audit'
const attempts = '/portal/audit/attempts'
const exported = '/portal/audit/export'
const payload = '<img src=x onerror=alert(1)>'
const count = (body: string) => [...body.matchAll(/<tr id="events-/g)].length

t.test('U2 the audit is for administrators of the tenant, and is about the tenant alone', async (t) => {
  const testApp = await openPortal(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Somewhere else' })
  await testApp.registerDemo({ tenantId, name: 'Of somebody else' })
  for (const each of [path, attempts, exported]) {
    await checkRefusals(t, testApp, { path: `${each}?tenant=${testApp.tenantId}` })
    t.equal((await (await testApp.as('developer')).get(each)).status, 403, `${each} as developer`)
  }
  const administrator = await testApp.as('administrator')
  t.notMatch((await administrator.get(path)).body, 'Of somebody else')
  t.notMatch((await administrator.get(exported)).body, tenantId)
  t.equal((await administrator.post(path, {}, { 'sec-fetch-site': 'same-origin' })).status, 405, 'nothing to send')
})

t.test('events: newest first, each with who, what, about what and everything else', async (t) => {
  const testApp = await openPortal(t)
  const ada = testApp.browser()
  const { userId } = await testApp.person('Ada', 'administrator')
  await testApp.signIn(ada, userId)
  await ada.submit(await ada.get('/portal/tenant'), 'tenant-form', { name: 'Fabrikam', devices: 'allowed' })
  const page = await ada.get(path)
  t.match(textOf(page, 'chain'), /The audit log is intact.*All \d+ events/s)
  const body = page.body.slice(page.body.indexOf('<tbody'))
  t.match(body, /Tenant changed[\s\S]*Application registered/, 'newest first')
  t.match(body, /tenant\.changed[\s\S]*?<bdi>you<\/bdi>/, 'who did it')
  t.match(body, new RegExp(`href="/portal/applications/${testApp.registration.applicationId}"`))
  t.match(body, /<dt>Request-id<\/dt><dd><code>[0-9a-f-]{36}</, 'the request-id')
  t.match(body, /<dt>Name<\/dt><dd>Contoso → Fabrikam<\/dd>/, 'and what changed')
  t.match(body, /<a href="\/portal\/audit\?event=tenant\.changed">this event<\/a>/, 'with a way to more of the same')
})

t.test('X6 a row that was changed is said above the events', async (t) => {
  const testApp = await openPortal(t)
  await testApp.store.transaction(async (tx) => {
    await tx
      .updateTable('ledger')
      .set({ details: `"${payload}"`, actor: 'no json' })
      .where('position', '=', 2)
      .execute()
  })
  const administrator = await testApp.as('administrator')
  const page = await administrator.get(path)
  t.equal(page.status, 200)
  t.match(textOf(page, 'chain'), 'The audit log has been tampered with')
  t.notMatch(page.body, payload, 'U4 whatever was written there')
})

t.test('filters: event, application by either identifier, person by address, days', async (t) => {
  const testApp = await openPortal(t)
  const administrator = await testApp.as('administrator')
  const { registration } = await testApp.registerDemo({ tenantId: testApp.tenantId, name: 'Another' })
  const { userId } = await testApp.person('Grace', 'member')
  const ask = async (query: Record<string, string>, where = path) =>
    administrator.get(`${where}?${new URLSearchParams(query)}`)
  const found = await ask({ event: 'application.registered' })
  const registered = (await testApp.events()).filter(({ event }) => event === 'application.registered')
  t.equal(count(found.body), registered.length, 'and nothing else')
  t.match(
    found.body,
    /<option value="application\.registered" selected[^>]*>Application registered</,
    'in the words of the list',
  )
  for (const application of [
    registration.applicationId,
    registration.applicationId.toUpperCase(),
    registration.publicKey,
    'anoth',
  ]) {
    const { body } = await ask({ application, event: 'application.registered' })
    t.equal(count(body), 1, application)
  }
  for (const person of ['GRACE@example.test', 'grac', userId]) t.equal(count((await ask({ person })).body), 1, person)
  const day = new Date(testApp.now()).toISOString().slice(0, 10)
  t.ok(count((await ask({ from: day, to: day })).body) > 3, 'both days are included')
  t.match(textOf(await ask({ to: '2020-01-01' }), 'nothing-found'), 'Nothing is recorded')
  t.match(textOf(await ask({ person: 'nobody@example.test' }), 'nothing-found'), 'Nothing is recorded')
  t.match(textOf(await ask({ application: `pcl_pk_${'x'.repeat(22)}` }), 'nothing-found'), 'Nothing is recorded')
  for (const [field, value] of [
    ['from', '2026-02-31'],
    ['to', 'tomorrow'],
    ['search', 'x'],
  ] as const) {
    const wrong = await ask({ [field]: value })
    t.equal(wrong.status, 400, field)
    t.ok(textOf(wrong, `${field}-error`), field)
    t.notMatch(wrong.body, payload, 'U4')
    t.equal((await ask({ [field]: value }, exported)).status, 400, `${field} of the export`)
  }
  t.notMatch((await ask({ application: payload, search: payload })).body, payload, 'U4')
  const about = (await testApp.events()).filter((event) => JSON.stringify(event).includes('Another'))
  t.equal(count((await ask({ search: 'anoTHER' })).body), about.length, 'any text that stands in a row')
  t.ok(about.length > 0)
  t.equal((await ask({ after: 'forged.token' })).status, 400, 'U3 a page token of nobody')
})

t.test('a page at a time, and all of it taken along as the filter says', async (t) => {
  const testApp = await openPortal(t)
  const administrator = await testApp.as('administrator')
  for (let index = 0; index < 60; index += 1) {
    await testApp.manage('PATCH', `/tenants/${testApp.tenantId}`, { name: `Name ${index}` })
  }
  const first = await administrator.get(`${path}?event=tenant.changed`)
  t.equal(count(first.body), 50)
  const older = /id="older" href="([^"]+)"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  t.match(older, 'event=tenant.changed')
  const second = await administrator.get(older)
  t.equal(count(second.body), 10)
  t.notMatch(second.body, 'id="older"')
  t.notMatch(first.body, 'id="newer"')
  const newer = /id="newer" href="([^"]+)"/.exec(second.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const back = await administrator.get(newer)
  const rows = (body: string) => [...body.matchAll(/<tr id="(events-\d+)/g)].map(([, id]) => id)
  t.same(rows(back.body), rows(first.body), 'and back to the newer ones, in the same order')
  const link = /id="export"[^>]*href="([^"]+)"/.exec(first.body)?.[1] ?? ''
  const file = await administrator.get(link)
  t.equal(file.status, 200)
  t.match(file.headers['content-type'], /^application\/x-ndjson/)
  t.match(file.headers['content-disposition'], /^attachment; filename="audit-\d{4}-\d\d-\d\d\.jsonl"$/)
  t.equal(file.headers['cache-control'], 'no-store')
  t.match(file.headers['content-security-policy'], "default-src 'none'")
  const lines = file.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.equal(lines.length, 60)
  t.match(lines[0], { event: 'tenant.changed', tenantId: testApp.tenantId, position: Number, mac: String })
  t.ok(lines[0].position > lines[59].position, 'newest first')
})

t.test('attempts: what failed, with where it came from', async (t) => {
  const testApp = await openPortal(t)
  const { tenantId } = testApp
  const { userId } = await testApp.person('Grace', 'member')
  const about = { tenantId, userId, address: '192.0.2.7' }
  testApp.deps.activity.note({ ...about, event: 'user.sign-in-failed', details: { reason: payload } })
  testApp.deps.activity.note({
    tenantId: (await createTenant(testApp.writes, { name: 'X' })).tenantId,
    event: 'user.unseen',
  })
  await testApp.deps.activity.flush()
  const administrator = await testApp.as('administrator')
  const page = await administrator.get(attempts)
  t.match(textOf(page, 'attempts'), /Sign-in failed.*192\.0\.2\.7.*Grace Example/s)
  t.notMatch(page.body, 'user.unseen', 'U2')
  t.notMatch(page.body, payload, 'U4')
  t.match(textOf(await administrator.get(`${attempts}?event=user.unseen`), 'nothing-found'), 'Nothing is recorded')
})

t.test('the audit of the server is for operators: every tenant, with its name, filtered by it', async (t) => {
  const testApp = await openPortal(t)
  const server = '/portal/server/audit'
  const paths = [server, `${server}/attempts`, `${server}/export`]
  const { tenantId } = await createTenant(testApp.writes, { name: 'Elsewhere Ltd' })
  await testApp.registerDemo({ tenantId, name: 'Of somebody else' })
  for (const each of paths) {
    t.equal((await testApp.browser().get(each)).status, 303, `${each} signed out`)
    for (const role of ['member', 'administrator', 'owner'] as const) {
      const refused = await (await testApp.as(role)).get(each)
      t.equal(refused.status, 403, `${each} as ${role}`)
      t.notMatch(refused.body, 'Of somebody else')
    }
  }
  const { userId } = await testApp.person('Olga', 'member')
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/users/${userId}`, { operator: true })
  const olga = testApp.browser()
  await testApp.signIn(olga, userId)
  const page = await olga.get(`${server}?in=elsewhere`)
  t.equal(page.status, 200)
  t.match(textOf(page, 'chain'), 'The audit log is intact')
  t.match(textOf(page, 'events'), /Application registered.*Of somebody else.*Elsewhere Ltd/s)
  t.notMatch(textOf(page, 'events'), 'Contoso')
  t.equal((await olga.get(`${server}/attempts`)).status, 200)
  t.match((await olga.get(`${server}/export`)).body, tenantId)
  t.equal((await olga.get(path)).status, 403, 'of their own tenant they see what their role is for')
})

t.test(
  'details are read by name: what changed, lists, permissions, times, and text for whatever else stands there',
  async (t) => {
    const payloads = { 'odd\u202ename': '\u202etext', deep: { more: { id: 'User.Read', kind: 'application' } } }
    t.same(factsOf({ name: { before: 'a', after: 'b' }, redirectUris: { added: ['https://x'], removed: [] } }), [
      ['Name', 'a → b'],
      ['Redirect uris: added', 'https://x'],
      ['Redirect uris: removed', 'none'],
    ])
    t.same(factsOf({ endsAt: Date.UTC(2027, 0, 2), count: 3, everywhere: true, actor: { kind: 'operator' } }), [
      ['Ends at', '2 Jan 2027, 00:00 UTC'],
      ['Count', '3'],
      ['Everywhere', 'yes'],
    ])
    t.same(factsOf(payloads), [
      ['Oddname', 'text'],
      ['Deep: more', 'User.Read (application)'],
    ])
    t.same(factsOf('no json'), [['Details', 'no json']])
    t.equal(factsOf(Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`a${index}`, 1]))).length, 40)
  },
)
