// The pages of the API catalogue: who sees them, what they say of an API, and that texts of a service stay texts.

import t, { type Test } from 'tap'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { openPortal } from '../../support/rooms/portal.js'
import { postsRules, postsService, servedDocument } from '../../support/settings/served-document.js'

async function open(t: Test, service: object = postsService, rules = postsRules) {
  const { document } = servedDocument(t, rules, { 'posts.json': service })
  return openPortal(t, { document })
}

/** What a page says, without its tags. */
function wordsOf(body: string): string {
  return body.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
}

t.test('the catalogue leads to a page for each API, with its operations, schemas and permissions', async (t) => {
  const testApp = await open(t)
  const member = await testApp.as('member')
  const list = await member.get('/portal/apis')
  t.equal(list.status, 200, 'every member sees it')
  for (const name of ['Posts', 'Things', 'Portcullis management']) t.match(list.body, name)
  t.match(wordsOf(list.body), 'Partly deprecated: from 30 Jun 2027 on')
  const page = await member.get('/portal/apis/posts')
  const text = wordsOf(page.body)
  for (const words of ['2.3.0', 'Team Posts', 'posts@example.test', 'Since 1 Jun 2026', 'An administrator consents']) {
    t.match(text, words)
  }
  for (const part of ['id="changes"', 'id="schema-Posts_Post"', 'Body, application/json', 'Example', 'Lists posts']) {
    t.match(page.body, part)
  }
  t.notMatch(page.body, 'id="try"', 'members have no applications')
  t.notMatch(text, 'drafts')
  t.match((await member.get('/portal/apis?search=nothing+at+all')).body, 'No API has all of these words')
  t.equal((await member.get('/portal/apis/unknown')).status, 404)
  t.equal((await testApp.browser().get('/portal/apis/posts')).status, 303, 'to the sign-in page')
})

t.test('the document of an API is a file; trying it leads to an application with the call filled in', async (t) => {
  const testApp = await open(t)
  const developer = await testApp.as('developer')
  const file = await developer.get('/portal/apis/posts/openapi.json')
  t.match(file.headers['content-disposition'], 'posts.openapi.json')
  t.match(JSON.parse(file.body), { openapi: '3.1.0', info: { title: 'Posts' }, paths: { '/posts': {} } })
  const page = await developer.get('/portal/apis/posts')
  t.match(page.body, 'id="try-form"')
  const { applicationId } = testApp.registration
  const call = new URLSearchParams({ application: applicationId, call: '/posts/{id}' })
  const trial = await developer.open(`/portal/apis/posts/try?${call}`)
  t.equal(trial.path, `/portal/applications/${applicationId}/try-it?call=%2Fposts%2F%7Bid%7D`)
  const withToken = await developer.submit(trial, 'token-form-0')
  t.match(withToken.body, 'value="/posts/{id}"')
  const odd = await developer.get('/portal/apis/posts/try?application=//elsewhere.example&call=x')
  t.equal(odd.location, '/portal/apis', 'nowhere else')
})

t.test('U4 what a document of a service says is text, and only web and mail addresses are links', async (t) => {
  const payload = '<img src=x onerror=alert(1)>'
  const contact = { name: payload, url: 'javascript:alert(1)', email: 'a@b.example?cc=all' }
  const info = { ...postsService.info, title: payload, description: payload, version: payload, contact }
  const testApp = await open(t, { ...postsService, info })
  const member = await testApp.as('member')
  const list = await member.get('/portal/apis')
  const [, path = ''] = /href="(\/portal\/apis\/img[^"]*)"/.exec(list.body) ?? []
  const page = await member.get(path)
  t.equal(page.status, 200, path)
  for (const body of [list.body, page.body]) {
    t.notMatch(body, '<img')
    t.match(body, '&lt;img')
    t.notMatch(body, 'javascript:')
    t.notMatch(body, 'mailto:')
  }
})

t.test('U2 the API of a tenant has a page for its people alone', async (t) => {
  const testApp = await open(t)
  const permissions = [{ id: 'orders.read', describe: 'Reads orders', kinds: ['application'] }]
  testApp.caller.principal = { kind: 'local' }
  const made = { shortName: 'orders', name: 'Orders', permissions, tenantId: testApp.tenantId }
  await testApp.manage('POST', '/apis', made)
  t.match((await (await testApp.as('member')).get('/portal/apis/orders')).body, 'orders.read')
  const other = (await createTenant(testApp.writes, { name: 'Other' })).tenantId
  t.equal((await (await testApp.as('owner', other)).get('/portal/apis/orders')).status, 404)
})

t.test('who still calls has a page, with a link at what ends; members have none', async (t) => {
  const testApp = await open(t)
  const developer = await testApp.as('developer')
  const api = await developer.get('/portal/apis/posts')
  const [, link = ''] = /href="(\/portal\/apis\/posts\/callers\?operation=[^"]+)"/.exec(api.body) ?? []
  const page = await developer.get(link)
  t.equal(page.status, 200)
  t.match(page.body, 'GET /posts/{id}')
  t.match(page.body, 'Nobody called it in 30 days')
  t.notMatch(page.body, 'id="everywhere"', 'only operators look at all tenants')
  const member = await testApp.as('member')
  t.notMatch((await member.get('/portal/apis/posts')).body, '/callers')
  t.equal((await member.get('/portal/apis/posts/callers')).status, 403)
})
