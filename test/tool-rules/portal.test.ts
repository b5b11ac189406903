// The page on which administrators say which tools agents may call: without scripts, by a form.

import t from 'tap'
import { textOf } from '../support/browser/scripted-browser.js'
import { deskRoute, needing } from '../support/mcp/desk-route.js'
import { urlTarget } from '../support/rooms/http-gate.js'
import { openPortal } from '../support/rooms/portal.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const path = '/portal/tools'
const desk = deskRoute({ find: needing('User.Read.All'), '<b>close': needing('Subscription.Read.All') })
const upstreams = new Map([['desk', upstreamSettings('desk', { target: urlTarget(9) })]])
const open = () => openPortal(t, { routes: [desk], upstreams })

t.test('each tool has its rule, which is changed by choosing another one', async (t) => {
  const testApp = await open()
  const browser = await testApp.as('administrator')
  const page = await browser.get(path)
  t.equal(page.status, 200)
  t.match(textOf(page, 'tool-0'), /find.*User\.Read\.All.*Allowed.*Allowed/)
  t.match(page.body, '&lt;b>close')
  const shown = await browser.submit(page, 'rules-form', { 'rule-0': 'never', 'rule-1': 'second_factor' })
  t.match(textOf(shown, 'done'), /Saved/)
  t.match(shown.body, /<option value="never" selected/)
  const said = await testApp.directory.findToolRules(testApp.tenantId)
  t.same([said?.of('/desk/mcp', 'find'), said?.of('/desk/mcp', '<b>close')], ['never', 'second_factor'])
  const odd = await browser.submit(shown, 'rules-form', { 'rule-0': 'sometimes', 'rule-7': 'never' })
  t.match(textOf(odd, 'done'), /Saved/)
  t.equal((await testApp.directory.findToolRules(testApp.tenantId))?.of('/desk/mcp', 'find'), 'never', 'kept')
  const second = await testApp.as('administrator')
  const [first, later] = [await browser.get(path), await second.get(path)]
  await browser.submit(first, 'rules-form', { 'rule-0': 'approval' })
  const refused = await second.submit(later, 'rules-form', { 'rule-0': 'allowed' })
  t.equal(refused.status, 412)
  t.match(textOf(refused, 'problem'), /changed meanwhile/)
  t.match(refused.body, /<option value="approval" selected/, 'what is there now')
})

t.test('who does not administer the tenant sees what is said and changes nothing', async (t) => {
  const testApp = await open()
  const browser = await testApp.as('developer')
  const page = await browser.get(path)
  t.match(textOf(page, 'tool-0'), /find.*Allowed/)
  t.notMatch(page.body, /<select|rules-form/)
})

t.test('a server without agents says so', async (t) => {
  const browser = await (await openPortal(t)).as('administrator')
  t.match(textOf(await browser.get(path), 'no-tools'), /No MCP server/)
})
