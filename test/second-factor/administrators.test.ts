// identity L9, signIn.administrators: changes of weight ask administrators, owners and operators for a second factor,
// by the API and at the portal; nobody is locked out by that.

import t, { type Test } from 'tap'
import type { Role } from '../../src/config/settings/settings.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { createUser } from '../../src/users/accounts/users.js'
import { formOf } from '../support/browser/scripted-browser.js'
import { atPortal, openCallers, withToken } from '../support/models/isolation.js'
import { giveCodes } from '../support/people/second-factor.js'
import { password } from '../support/people/sign-in.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { openPortal } from '../support/rooms/portal.js'

const on = { identity: { signIn: { administrators: 'secondFactor' } } } as const
const sameOrigin = { origin: 'null', 'sec-fetch-site': 'same-origin' }
const uri = 'https://app.example.test/back'

/** A tenant with a person of that role, and what a change of weight comes to for them. */
async function openWith(t: Test, role: Role, options: Parameters<typeof openManagement>[1] = on) {
  const testApp = await openManagement(t, options)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  await openCallers(testApp, tenantId)
  const person = { email: 'ada@example.test', name: 'Ada', membership: { tenantId, role } }
  const { userId } = await createUser(testApp.deps.users, person)
  const now = () => Math.floor(testApp.clock.nowMs / 1000)
  const all = testApp.catalogue.permissions.map(({ id }) => id)
  const entryPoints = (signIn: { acr?: string; ago?: number }) => {
    const { ago = 0, ...rest } = signIn
    const how = { authTime: now() - ago, ...rest }
    return [atPortal(userId, tenantId, { acr: '', ...how }), withToken({ testApp }, tenantId, all, userId, how)]
  }
  const change = () => testApp.manage('PATCH', `/tenants/${tenantId}`, { userConsent: 'administrators' })
  return { testApp, tenantId, userId, entryPoints, change, all }
}

t.test('identity L9: by default one factor is enough for administrators', async (t) => {
  const { testApp, entryPoints, change } = await openWith(t, 'owner', {})
  for (const entryPoint of entryPoints({ acr: '1' })) {
    testApp.caller.principal = entryPoint
    t.equal((await change()).statusCode, 200)
  }
})

t.test('identity L9: RFC 9470 with secondFactor a change of weight by an administrator needs acr 2', async (t) => {
  for (const role of ['administrator', 'owner'] as const) {
    const { testApp, tenantId, entryPoints, change } = await openWith(t, role)
    for (const entryPoint of [...entryPoints({ acr: '1' }), ...entryPoints({})]) {
      testApp.caller.principal = entryPoint
      const answer = await change()
      const { status, code } = refusal(answer)
      t.same({ status, code }, { status: 401, code: 'SecondFactorRequired' }, role)
      t.equal(answer.json().error.acr_values, '2')
      t.match(answer.headers['www-authenticate'], /error="insufficient_user_authentication".*, acr_values="2"$/)
      t.equal((await testApp.manage('GET', `/tenants/${tenantId}`)).statusCode, 200, 'looking asks for nothing')
    }
    for (const entryPoint of entryPoints({ acr: '2' })) {
      testApp.caller.principal = entryPoint
      t.equal((await change()).statusCode, 200, role)
    }
    for (const entryPoint of entryPoints({ acr: '1', ago: 601 })) {
      testApp.caller.principal = entryPoint
      const { error } = (await change()).json()
      t.match(error, { code: 'SecondFactorRequired', acr_values: '2', max_age: 600 }, 'both are named at once')
    }
    for (const entryPoint of entryPoints({ acr: '2', ago: 601 })) {
      testApp.caller.principal = entryPoint
      t.equal(refusal(await change()).code, 'RecentSignInRequired')
    }
  }
})

t.test('identity L9: developers, applications and the local socket need no second factor; operators do', async (t) => {
  const { testApp, tenantId, userId, entryPoints, change, all } = await openWith(t, 'developer')
  const make = () => testApp.manage('POST', '/keys/rotate', {})
  for (const entryPoint of entryPoints({ acr: '1' })) {
    testApp.caller.principal = entryPoint
    t.not(refusal(await change()).status, 401, 'a developer is refused for the role')
  }
  await setOperator(testApp.deps.users, userId, true)
  for (const entryPoint of entryPoints({ acr: '1' })) {
    testApp.caller.principal = entryPoint
    t.equal(refusal(await make()).code, 'SecondFactorRequired', 'an operator')
  }
  testApp.caller.principal = withToken({ testApp }, tenantId, all)
  t.equal((await change()).statusCode, 200, 'an application as itself')
  testApp.caller.principal = { kind: 'local' }
  t.equal((await change()).statusCode, 200, 'anyone who is at the machine')
})

t.test('identity L9: a tenant asks it of its own administrators, and never less than the server does', async (t) => {
  const { testApp, tenantId, entryPoints, change } = await openWith(t, 'owner', {})
  const set = (administrators: string) => testApp.manage('PATCH', `/tenants/${tenantId}`, { administrators })
  testApp.caller.principal = { kind: 'local' }
  t.equal((await testApp.manage('GET', `/tenants/${tenantId}`)).json().administrators, 'any')
  t.equal((await set('secondFactor')).json().administrators, 'secondFactor')
  t.equal((await set('none')).statusCode, 400)
  for (const entryPoint of entryPoints({ acr: '1' })) {
    testApp.caller.principal = entryPoint
    t.equal(refusal(await change()).code, 'SecondFactorRequired')
    t.equal(refusal(await set('any')).code, 'SecondFactorRequired', 'nor is it switched off with one factor')
  }
  const other = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const eve = {
    email: 'eve@example.test',
    name: 'Eve',
    membership: { tenantId: other.tenantId, role: 'owner' as const },
  }
  const { userId } = await createUser(testApp.deps.users, eve)
  const signIn = { acr: '1', authTime: Math.floor(testApp.clock.nowMs / 1000) }
  testApp.caller.principal = atPortal(userId, other.tenantId, signIn)
  const elsewhere = await testApp.manage('PATCH', `/tenants/${other.tenantId}`, { userConsent: 'administrators' })
  t.equal(elsewhere.statusCode, 200, 'another tenant is another matter')
  for (const entryPoint of entryPoints({ acr: '2' })) {
    testApp.caller.principal = entryPoint
    t.equal((await set('any')).statusCode, 200)
  }
  const events = await testApp.store.reader
    .selectFrom('ledger')
    .select('details')
    .where('event', '=', 'tenant.changed')
    .execute()
  t.ok(
    events.some(
      ({ details }) =>
        details.includes('"administrators":{"after":"secondFactor","before":"any"}') ||
        details.includes('"administrators":{"before":"any","after":"secondFactor"}'),
    ),
    'the ledger has it',
  )
})

t.test('identity L9: the page of the tenant switches it, and the second factor is required from then on', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('owner')
  const page = await browser.open('/portal/tenant')
  const tenant = { name: 'Contoso', devices: 'allowed' }
  await browser.submit(page, 'tenant-form', { ...tenant, administrators: 'secondFactor' })
  t.equal((await testApp.directory.findTenant(testApp.tenantId))?.administrators, 'secondFactor')
  const after = await browser.submit(await browser.open('/portal/tenant'), 'tenant-form', {
    ...tenant,
    administrators: '',
  })
  t.match(after.body, /Confirm with your second factor/, 'and from now on it holds')
})

t.test('identity L9: at the portal the form waits for the second factor, and for it alone', async (t) => {
  const testApp = await openPortal(t, on)
  const ada = await testApp.person('Ada', 'administrator')
  const code = await giveCodes(testApp.deps.users, testApp.clock, ada)
  const browser = testApp.browser()
  await testApp.signIn(browser, ada.userId)
  const path = `/portal/applications/${testApp.registration.applicationId}/redirect-uris`
  const { action, fields } = formOf(await browser.get(path), 'redirectUris-add')
  const answer = await browser.post(action, { ...fields, redirectUris: uri }, sameOrigin)
  const page = await browser.follow(answer)
  t.match(page.body, /Confirm with your second factor/)
  t.notMatch(page.body, 'without-form')
  t.notMatch(page.body, 'name="password"')
  testApp.clock.nowMs += 1000
  const confirm = await browser.submit(await browser.submit(page, 'step-up-form'), 'code-form', { code: code() })
  t.match(confirm.path, /^\/portal\/confirm\?request=/)
  t.match((await browser.submit(confirm, 'confirm-form')).path, path)
  testApp.caller.principal = { kind: 'local' }
  const { redirectUris } = (await testApp.manage('GET', `/applications/${testApp.registration.applicationId}`)).json()
  t.ok(redirectUris.includes(uri))
})

t.test('identity L9: an owner without a second factor is led to set one up, and goes on', async (t) => {
  const testApp = await openPortal(t, on)
  const ada = await testApp.person('Ada', 'owner')
  const browser = testApp.browser()
  await testApp.signIn(browser, ada.userId)
  const path = `/portal/applications/${testApp.registration.applicationId}/redirect-uris`
  const { action, fields } = formOf(await browser.get(path), 'redirectUris-add')
  testApp.clock.nowMs += 601_000
  const again = await browser.follow(await browser.post(action, { ...fields, redirectUris: uri }, sameOrigin))
  t.match(again.body, /Confirm it’s you/, 'the old sign-in first')
  const confirm = await browser.submit(again, 'sign-in-form', { email: ada.email, password })
  t.match(confirm.path, /^\/portal\/confirm/)
  const form = formOf(confirm, 'confirm-form')
  const page = await browser.follow(await browser.post(form.action, form.fields, sameOrigin))
  t.match(page.body, 'href="/account/second-factor"')
  t.match(page.body, 'href="/account/passkeys"')
  t.equal((await browser.get('/account/second-factor')).status, 200, 'the policy does not keep anybody from it')
  const code = await giveCodes(testApp.deps.users, testApp.clock, ada)
  const waiting = await browser.open(page.path)
  t.match(waiting.body, 'step-up-form', 'what was begun waits')
  testApp.clock.nowMs += 1000
  const back = await browser.submit(await browser.submit(waiting, 'step-up-form'), 'code-form', { code: code() })
  t.match(back.path, /^\/portal\/confirm/)
  t.match((await browser.submit(back, 'confirm-form')).path, path)
})
