// The APIs of a tenant at the portal: defined, given permissions, changed and deleted there; what hangs on them is said
// in numbers, and what an application has is not taken away.

import t, { type Test } from 'tap'
import type { ApiConsequences } from '../../../src/management/api-catalogue/api-consequences.js'
import { checkRefusals } from '../../support/browser/portal-refusals.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { openPortal } from '../../support/rooms/portal.js'

const path = '/portal/apis/own'

async function define(t: Test) {
  const testApp = await openPortal(t)
  const developer = await testApp.as('developer')
  const form = await developer.get(`${path}/new`)
  const made = await developer.submit(form, 'api-form', { name: 'Orders', shortName: 'orders' })
  const [at = '', id = ''] = /^\/portal\/apis\/own\/([^/?]+)/.exec(made.path) ?? []
  const set = async (fields: Record<string, string>) => {
    const form = await developer.get(at)
    return developer.submit(form, 'permission-form', { kind: 'application', role: 'member', ...fields })
  }
  return { testApp, developer, made, at, id, set }
}

t.test('an API is defined, gets permissions, is renamed and deleted, each in the ledger', async (t) => {
  const { testApp, developer, made, at, set } = await define(t)
  t.match(made.body, 'It is defined')
  t.match(textOf(made, 'identifier'), /^api:\/\/.*\/orders/)
  const added = await set({ id: 'Orders.Read', describe: 'Read <b>orders</b>' })
  t.match(added.body, 'The permission is saved')
  t.match(added.body, 'Read &lt;b>orders&lt;/b>')
  t.match(textOf(added, 'own-permissions'), 'by nobody')
  const edit = await developer.get(`${at}?permission=Orders.Read`)
  t.match(edit.body, /id="id"[^>]*value="Orders.Read"[^>]*readonly|readonly[^>]*value="Orders.Read"/)
  const typed = { id: 'Orders.Read', describe: 'Read all orders', role: 'developer' }
  const none = await developer.submit(edit, 'permission-form', typed)
  t.equal(none.status, 400)
  t.match(textOf(none, 'problem'), 'Say who can have it')
  const changed = await developer.submit(edit, 'permission-form', { ...typed, kind: 'application' })
  t.match(textOf(changed, 'own-permissions'), 'Read all orders')
  const renamed = await developer.submit(changed, 'name-form', { name: 'Order desk' })
  t.match(renamed.body, 'The name is changed')
  t.match((await developer.get(path)).body, 'Order desk')
  const removed = await developer.submit(await developer.get(at), 'remove-0')
  t.match(removed.body, 'id="no-permissions"')
  const question = await developer.get(`${at}/delete`)
  t.match(textOf(question, 'consequences'), 'none')
  const gone = await developer.submit(question, 'delete-form')
  t.match(gone.path, `${path}?done=deleted`)
  t.match(gone.body, 'id="no-apis"')
  t.equal((await developer.get(at)).status, 404)
  const events = (await testApp.events()).map(({ event }) => event).filter((event) => event.startsWith('api.'))
  t.same(events, ['api.created', ...Array(4).fill('api.changed'), 'api.deleted'])
})

t.test('a permission is described in other languages, and each change of its words is in the ledger', async (t) => {
  const { testApp, developer, at, set } = await define(t)
  const first = { id: 'Orders.Read', describe: 'Read orders' }
  const added = await set({ ...first, 'describe-de': 'Bestellungen <b>lesen</b>', 'describe-ja': '注文を読み取ります' })
  t.match(added.body, '<span class="under soft" lang="de">Bestellungen &lt;b>lesen&lt;/b></span>')
  t.match(added.body, '<span class="under soft" lang="ja">注文を読み取ります</span>')
  const edit = await developer.get(`${at}?permission=Orders.Read`)
  t.match(edit.body, /<details id="other-languages" open[\s\S]*<div lang="ja">[\s\S]*value="注文を読み取ります"/)
  const typed = { ...first, kind: 'application', 'describe-de': '', 'describe-ja': '注文を読み取ります' }
  const kept = await developer.submit(edit, 'permission-form', typed)
  t.notMatch(kept.body, 'Bestellungen')
  t.match(kept.body, '注文を読み取ります')
  const long = await set({ ...first, 'describe-es': 'x'.repeat(121) })
  t.equal(long.status, 400)
  t.match(textOf(long, 'problem'), '1 to 120 characters')
  const said = (await testApp.events()).map(({ details }) => (details as { reworded?: string[] }).reworded)
  t.same(said.filter(Boolean), [
    ['Orders.Read: Read orders', 'Orders.Read (de): Bestellungen <b>lesen</b>', 'Orders.Read (ja): 注文を読み取ります'],
  ])
})

t.test('what an application has stays, and the pages say in numbers why', async (t) => {
  const { testApp, developer, at, id, set } = await define(t)
  await set({ id: 'Orders.Read', describe: 'Read orders' })
  testApp.caller.principal = { kind: 'local' }
  const { identifier } = (await testApp.manage('GET', `/apis/${id}`)).json()
  const permissions = [{ kind: 'application' as const, resource: identifier, id: 'Orders.Read' }]
  const { tenantId } = testApp
  await testApp.registerDemo({ name: 'desk', tenantId, permissions })
  await testApp.registerDemo({ name: 'other desk', tenantId, permissions, consentBy: undefined as never })
  testApp.caller.principal = { kind: 'local' }
  const use = (await testApp.manage('GET', `/apis/${id}/consequences`)).json<ApiConsequences>()
  t.same(use.permissions, [{ id: 'Orders.Read', listed: 2, granted: 1, people: 0 }])
  t.match(use, { applications: 2, mayGo: false })
  const page = await developer.get(at)
  t.match(textOf(page, 'own-permissions'), 'listed by 2 applications, granted to 1')
  const refused = await developer.submit(page, 'remove-0')
  t.equal(refused.status, 409)
  t.match(textOf(refused, 'problem'), /Applications have Orders\.Read/)
  const question = await developer.get(`${at}/delete`)
  t.match(textOf(question, 'in-use'), 'Remove them there first')
  t.notMatch(question.body, 'id="delete-form"')
})

t.test('what cannot be is said at the form, with what was typed', async (t) => {
  const { developer, at, set } = await define(t)
  const form = await developer.get(`${path}/new`)
  const twice = await developer.submit(form, 'api-form', { name: 'Again', shortName: 'Not Small' })
  t.equal(twice.status, 400)
  t.match(twice.body, 'value="Not Small"')
  t.match(twice.body, 'A short name has')
  const bad = await set({ id: 'openid', describe: 'x' })
  t.equal(bad.status, 400)
  t.match(bad.body, /word of the protocol/)
  t.match(bad.body, 'value="openid"')
  t.match((await developer.get(at)).body, 'id="no-permissions"', 'nothing was changed')
})

t.test('U1 U2 members define nothing, and another tenant sees nothing', async (t) => {
  const { testApp, at } = await define(t)
  await checkRefusals(t, testApp, { path: at, form: { id: 'name-form', fields: { name: 'Taken over' } } })
  await checkRefusals(t, testApp, { path: `${at}/delete`, form: { id: 'delete-form', fields: {} } })
  const member = await testApp.as('member')
  for (const page of [path, `${path}/new`]) t.equal((await member.get(page)).status, 403, page)
  t.notMatch((await member.get('/portal/apis')).body, path)
})
