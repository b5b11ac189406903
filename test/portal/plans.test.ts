// Plans at the portal: choosing one, requesting another, deciding, overrides, and who uses which.

import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { formOf, type ScriptedBrowser, textOf } from '../support/browser/scripted-browser.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'
import { planOf, planRules } from '../support/settings/plan-rules.js'

const plans = planRules(
  [
    planOf('free', 'developers'),
    planOf('team', 'administrators', { quota: 100 }),
    planOf('partner', 'operators', { quota: 1000, concurrent: 5 }),
  ],
  'free',
)
const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
const inbox = '/portal/plan-requests'

const open = async (t: Parameters<typeof openPortal>[0]) => {
  const testApp = await openPortal(t, { plans })
  return { testApp, path: `/portal/applications/${testApp.registration.applicationId}/plan` }
}

async function post(browser: ScriptedBrowser, path: string, id: string, fields: Record<string, string>) {
  const form = formOf(await browser.get(path), id)
  return browser.post(form.action, { ...form.fields, ...fields }, headers)
}

async function operator(testApp: PortalApp, tenantId = testApp.tenantId): Promise<ScriptedBrowser> {
  const person = await testApp.person(`operator-${tenantId.slice(0, 8)}`, 'owner', tenantId)
  await setOperator(testApp.deps.users, person.userId, true)
  const browser = testApp.browser()
  await testApp.signIn(browser, person.userId)
  return browser
}

const planOfApp = async ({ manage, caller, registration }: PortalApp) => {
  caller.principal = { kind: 'local' }
  return (await manage('GET', `/applications/${registration.applicationId}/plan`)).json()
}

t.test('U1 U2 what the pages about plans refuse, and to whom', async (t) => {
  const { testApp, path } = await open(t)
  await checkRefusals(t, testApp, { path, form: { id: 'choose-form', fields: { plan: 'free' } } })
  const developer = await testApp.as('developer')
  const { applicationId } = testApp.registration
  for (const page of ['/portal/server/plans', `/portal/server/plans/${applicationId}`]) {
    for (const role of ['developer', 'owner'] as const) {
      t.equal((await (await testApp.as(role)).get(page)).status, 403, `${page} as ${role}`)
    }
  }
  t.equal((await (await testApp.as('member')).get(inbox)).status, 403)
  const page = await developer.get(path)
  t.notMatch(page.body, 'override-form', 'only operators are offered numbers of its own')
  for (const fields of [
    { act: 'choose', plan: 'team' },
    { act: 'choose', plan: 'partner' },
  ]) {
    const refused = await post(developer, path, 'choose-form', fields)
    t.equal(refused.status, 403)
    t.match(textOf(refused, 'problem'), /request the change, and they decide/)
  }
  const forged = await post(developer, path, 'choose-form', { act: 'override', 'limit.daily': '9999/day' })
  t.equal(forged.status, 403, 'a form that was made up gives no numbers either')
  t.match(await planOfApp(testApp), { plan: 'free', assigned: null, overrides: { limits: {} } })
})

t.test('a developer chooses at registration, requests more, and reads why not', async (t) => {
  const { testApp, path } = await open(t)
  const developer = await testApp.as('developer')
  const form = await developer.get('/portal/applications/new?kind=server')
  t.match(form.body, 'The default (free)')
  t.match(form.body, 'team, partner can be requested once it is registered.')
  t.notMatch(form.body, '<option value="partner"')
  const made = await post(developer, '/portal/applications/new?kind=server', 'register-form', {
    name: 'x',
    plan: 'free',
  })
  t.equal(made.status, 201)
  t.match(textOf(await developer.get(path), 'plan-title'), 'Plan free')
  const wish = { requested: 'team', reason: 'For the <b>fair</b>' }
  t.match((await post(developer, path, 'request-form', wish)).location, /done=requested/)
  t.match(textOf(await developer.get(path), 'request-state'), /Waiting.*team.*For the <b>fair<\/b>/s)
  const administrator = await testApp.as('administrator')
  const waits = await administrator.get(inbox)
  t.match(waits.body, 'One request is waiting')
  t.match(waits.body, /Plan requests\s*<span class="count">/, 'the navigation says so')
  t.match(textOf(await administrator.get('/portal'), 'waiting-plan-requests'), /1.*request for a plan waits/s)
  t.match(waits.body, 'For the &lt;b>fair')
  const id = /id="decide-([0-9a-f-]{36})"/.exec(waits.body)?.[1] ?? ''
  t.equal(
    (await post(developer, inbox, 'none', {}).catch(() => undefined)) === undefined,
    true,
    'no form for developers',
  )
  const declined = await post(administrator, inbox, `decide-${id}`, {
    decision: 'declined',
    [`reason-${id}`]: 'Next year',
  })
  t.match(declined.location, /done=declined/)
  t.match(textOf(await developer.get(path), 'request-state'), /Declined.*Next year/s)
  t.match((await administrator.get(inbox)).body, 'nobody-waits')
})

t.test('of two who decide, the second reads that somebody did; what is for operators has no button', async (t) => {
  const { testApp, path } = await open(t)
  const developer = await testApp.as('developer')
  await post(developer, path, 'request-form', { requested: 'team' })
  const [one, two] = [await testApp.as('administrator'), await testApp.as('administrator')]
  const id = /id="decide-([0-9a-f-]{36})"/.exec((await one.get(inbox)).body)?.[1] ?? ''
  const late = formOf(await two.get(inbox), `decide-${id}`)
  t.match((await post(one, inbox, `decide-${id}`, { decision: 'approved' })).location, /done=approved/)
  const second = await two.post(late.action, { ...late.fields, decision: 'declined' }, headers)
  t.equal(second.status, 404)
  t.match(textOf(second, 'problem'), /somebody decided it/)
  t.match(await planOfApp(testApp), { plan: 'team', declined: null })
  await post(developer, path, 'request-form', { requested: 'partner' })
  const page = await one.get(inbox)
  t.match(page.body, 'An operator of this server decides about this plan.')
  t.notMatch(page.body, 'name="decision"')
  t.notMatch(page.body, 'class="count"', 'and nothing waits for who may not decide it')
})

t.test('an operator sees who uses which plan in all tenants, and gives one application other numbers', async (t) => {
  const { testApp } = await open(t)
  const { applicationId } = testApp.registration
  const { tenantId } = await createTenant(testApp.writes, { name: 'Elsewhere' })
  const browser = await operator(testApp, tenantId)
  const page = `/portal/server/plans/${applicationId}`
  t.match((await post(browser, page, 'choose-form', { plan: 'partner' })).location, /done=chosen/)
  const all = await browser.get('/portal/server/plans?plan=partner')
  t.match(textOf(all, 'plan-partner'), /1,000 per day.*An operator of this server approves it.*1/s)
  t.match(textOf(all, `application-${applicationId}`), /Contoso.*of the plan/s)
  const refused = await post(browser, page, 'override-form', { 'limit.daily': '5/h' })
  t.equal(refused.status, 400)
  t.match(textOf(refused, 'problem'), /counts in periods of 86400 s/)
  t.match(
    textOf(await post(browser, page, 'override-form', { concurrent: 'many' }), 'concurrent-error'),
    'whole number',
  )
  const wrong = await post(browser, page, 'override-form', { 'limit.daily': 'abc', concurrent: '12' })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong, 'limit.daily-error'), 'such as 100/min')
  t.notMatch(wrong.body, 'id="problem"', 'it stands at its field')
  t.match(wrong.body, /id="limit\.daily"[^>]*value="abc"/, 'nothing that was written is lost')
  t.match(wrong.body, /id="concurrent"[^>]*value="12"/)
  t.match((await post(browser, page, 'override-form', { 'limit.daily': '7 / day' })).location, /done=overridden/)
  t.match(await planOfApp(testApp), { plan: 'partner', limits: [{ name: 'daily', limit: 7 }] })
  const own = await (await testApp.as('developer')).get(`/portal/applications/${applicationId}/plan`)
  t.match(textOf(own, 'limit-daily'), /7 per day.*0.*7/s)
  t.match(own.body, 'aria-label="daily: 0 of 7 used"')
  t.equal((await post(browser, page, 'override-form', { 'limit.daily': '' })).status, 303)
  t.match(await planOfApp(testApp), { overrides: { limits: {} } })
})

t.test('the navigation counts the requests that one decides oneself', async (t) => {
  const { testApp, path } = await open(t)
  const waiting = async (browser: ScriptedBrowser) => {
    const { body } = await browser.get('/portal/applications')
    return /href="\/portal\/plan-requests[^"]*"[^>]*>Plan requests(?:<span class="count">(\d+\+?))?/
      .exec(body)
      ?.slice(0, 2)
  }
  const administrator = await testApp.as('administrator')
  const developer = await testApp.as('developer')
  t.equal((await waiting(administrator))?.[1], undefined, 'there is nothing')
  t.equal(await waiting(developer), undefined, 'who decides on none has no such entry')
  await post(developer, path, 'request-form', { requested: 'team', reason: '' })
  t.equal((await waiting(administrator))?.[1], '1')
  const boss = await operator(testApp)
  await post(developer, path, 'request-form', { requested: 'partner', reason: '' })
  t.equal((await waiting(administrator))?.[1], undefined, 'operators decide on that')
  t.equal((await waiting(boss))?.[1], '1')
})

t.test('without plans the pages say so, and a plan that is gone is named', async (t) => {
  const testApp = await openPortal(t)
  const { applicationId } = testApp.registration
  const path = `/portal/applications/${applicationId}/plan`
  const developer = await testApp.as('developer')
  t.match(textOf(await developer.get(path), 'plan-title'), 'No plan')
  t.match((await developer.get(path)).body, 'no-limits')
  t.notMatch((await developer.get('/portal/applications/new?kind=server')).body, 'name="plan"')
  const browser = await operator(testApp)
  t.match((await browser.get('/portal/server/plans')).body, 'There are no plans')
  const row = { application_id: applicationId, plan: 'gold', overrides: '', updated_at: 0 }
  await testApp.store.transaction((tx) => tx.insertInto('application_plans').values(row).execute())
  t.match(textOf(await developer.get(path), 'plan-gone'), /gold.*does not have any more/s)
  t.match(textOf(await browser.get('/portal/server/plans'), 'plan-gold'), /Gone.*1/s)
  const status = await browser.get('/portal/server/status')
  t.match(textOf(status, 'gone-plan-0'), /gold\s*1\s*no plan: the limits of all/)
  t.match(status.body, `/portal/server/plans/${applicationId}`, 'with a way to put it on another')
  t.notMatch(status.body, `href="${inbox}`, 'where there are no plans nobody requests one')
})

t.test('the usage of a month is taken along as CSV and JSON, by developers of the tenant', async (t) => {
  const { testApp } = await open(t)
  const developer = await testApp.as('developer')
  const page = await developer.get('/portal/usage')
  const [link = ''] = /\/portal\/usage\/export\?[^"]*format=csv/.exec(page.body) ?? []
  const csv = await developer.get(link.replaceAll('&amp;', '&'))
  t.equal(csv.status, 200)
  t.match(csv.headers['content-type'], 'text/csv')
  t.match(csv.headers['content-disposition'], /attachment; filename="usage-\d{4}-\d{2}\.csv"/)
  t.match(csv.body, /^day,tenantId/)
  const json = await developer.get('/portal/usage/export?month=2026-11&format=json')
  t.match(JSON.parse(json.body), { month: '2026-11', value: [] })
  t.equal((await (await testApp.as('member')).get('/portal/usage/export')).status, 403)
})
