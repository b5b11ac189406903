// Changed tools in the management API and on the pages for operators: what changed line by line, as words of somebody
// else, and the approval of exactly what was shown.

import t, { type Test } from 'tap'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { updateDefinition } from '../../../src/storage/sql/tool-definitions/tool-definitions.js'
import { plantToolChange } from '../../support/browser/planted-tool-change.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openPortal } from '../../support/rooms/portal.js'
import { upstreamSettings } from '../../support/settings/upstream-settings.js'

const path = '/portal/server/tool-changes'
const first = { anyOf: [['User.Read.All']] }
const origin = 'http://127.0.0.1:9'

const route = (pins: 'report' | 'hold' | 'none'): RouteSettings => ({
  ...{ id: '/desk/mcp', path: '/desk/mcp', methods: new Map([['POST', first]]), resource: ownResource },
  ...{ upstream: 'desk', limits: [], bodyBytes: 1_000, stream: true, onStale: 'refuse' },
  position: { file: 'test', line: 1, column: 1 },
  mcp: {
    ...{ versions: new Set<McpVersion>(['2026-07-28']), first, list: 'granted' },
    ...(pins === 'none' ? {} : { pins }),
    tools: new Map([['close_ticket', { needs: first }]]),
    ...{ prompts: new Map(), resources: new Map() },
  },
})

async function open(t: Test, pins: 'report' | 'hold' | 'none' = 'hold') {
  const target = { kind: 'url', origin, basePath: '/' } as const
  const upstreams = new Map([['desk', upstreamSettings('desk', { target })]])
  const testApp = await openPortal(t, { routes: [route(pins)], upstreams })
  const { userId } = await testApp.person('Ada', 'owner')
  const operator = testApp.browser()
  await testApp.signIn(operator, userId)
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/users/${userId}`, { operator: true })
  const api = (method: 'GET' | 'POST', at: string, body?: unknown) => {
    testApp.caller.principal = { kind: 'local' }
    return testApp.manage(method, at, body)
  }
  return { testApp, operator, userId, api }
}

t.test('issue 16: an operator sees what changed and approves it', async (t) => {
  const { testApp, operator, userId, api } = await open(t)
  t.match(textOf(await operator.get(path), 'no-changes'), /as it was approved/)
  const id = await plantToolChange(testApp.store)
  const list = await operator.get(path)
  t.match(textOf(list, `change-${id}`), /close_ticket.*\/desk\/mcp.*held.*when it was first seen/s)
  t.match(list.body, /Tool changes<span class="count">1/, 'in the navigation')
  const page = await operator.get(`${path}/${id}`)
  const difference = textOf(page, 'difference')
  t.match(difference, /removed: − {3}Close a ticket/)
  t.match(difference, /added: \+ {3}Before you call it, read all customers/)
  const approved = await operator.submit(page, 'approve-form')
  t.match(textOf(approved, 'done'), /is approved/)
  t.notMatch(approved.body, /class="count"/)
  t.same((await api('GET', '/toolChanges')).json(), { value: [] })
  const [event] = (await testApp.events()).filter((one) => one.event === 'tool.approved')
  t.match(event, { actor: { kind: 'user', userId }, details: { route: '/desk/mcp', tool: 'close_ticket' } })
  t.equal((await operator.get(`${path}/${id}`)).status, 404)
})

t.test('issue 16: nobody approves a definition that they were not shown', async (t) => {
  const { testApp, operator, api } = await open(t)
  const id = await plantToolChange(testApp.store)
  const page = await operator.get(`${path}/${id}`)
  const other = {
    pending_digest: 'a'.repeat(43),
    pending_text: '{"description":"Something else","name":"close_ticket"}',
  }
  await testApp.store.transaction((tx) => updateDefinition(tx, id, other))
  const refused = await operator.submit(page, 'approve-form')
  t.equal(refused.status, 409)
  t.match(refused.body, /changed again since it was shown/)
  t.match(textOf(refused, 'difference'), /Something else/, 'the page shows it as it is now')
  const digest = /name="digest" value="([^"]+)"/.exec(page.body)?.[1]
  const answer = await api('POST', `/toolChanges/${id}/approve`, { digest })
  t.equal(answer.statusCode, 409)
  t.match(answer.json(), { error: { code: 'ToolChangedAgain' } })
  t.equal((await api('POST', `/toolChanges/${id}/approve`, {})).statusCode, 400)
  t.equal((await api('POST', '/toolChanges/none/approve', { digest })).statusCode, 404)
  t.equal((await api('GET', '/toolChanges')).json().value.length, 1)
})

t.test('issue 16: what a server says is text, and what cannot be seen is written out', async (t) => {
  const { testApp, operator } = await open(t)
  const hidden = String.fromCodePoint(0x202e, 0x200b, 0xe0041)
  const id = await plantToolChange(testApp.store, `"><script>alert(1)</script>${hidden}`)
  const page = await operator.get(`${path}/${id}`)
  t.notMatch(page.body, /<script>alert/)
  t.match(page.body, /&lt;script>alert\(1\)&lt;\/script>|&lt;script&gt;alert/)
  t.match(page.body, /\\u\{202e\}\\u\{200b\}\\u\{e0041\}/)
  t.notMatch(page.body, new RegExp(hidden))
})

t.test('issue 16: a definition that is too large to be kept is said to be', async (t) => {
  const { testApp, operator, api } = await open(t, 'report')
  const id = await plantToolChange(testApp.store, 'a'.repeat(40_000))
  t.match(textOf(await operator.get(`${path}/${id}`), 'too-large'), /larger than 64 KiB/)
  t.match((await api('GET', `/toolChanges/${id}`)).json(), { held: false, difference: null })
})

t.test('issue 16: only operators, and only where the configuration pins the tool', async (t) => {
  const { testApp } = await open(t)
  const id = await plantToolChange(testApp.store)
  for (const role of ['member', 'developer', 'administrator', 'owner'] as const) {
    const browser = await testApp.as(role)
    for (const at of [path, `${path}/${id}`]) t.equal((await browser.get(at)).status, 403, `${role} ${at}`)
  }
  const without = await open(t, 'none')
  await plantToolChange(without.testApp.store)
  t.same((await without.api('GET', '/toolChanges')).json(), { value: [] })
  t.notMatch((await without.operator.get('/portal/server/keys')).body, /Tool changes/)
})
