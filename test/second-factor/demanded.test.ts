// Decision 119: who has to have a second factor is led to it before anything else, at every way in; nobody goes around
// it with what they had before, and nobody removes the last one.

import t, { type Test } from 'tap'
import type { Role, Settings } from '../../src/config/settings/settings.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { createUser } from '../../src/users/accounts/users.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { atPortal, withToken } from '../support/models/isolation.js'
import { giveCodes, givePasskey } from '../support/people/second-factor.js'
import { openSignIn, password, signInWith } from '../support/people/sign-in.js'
import { answerOf, openAuthorize } from '../support/rooms/authorize.js'
import { delegate, redemption } from '../support/rooms/delegation.js'
import { openIdentity, tokenPath } from '../support/rooms/identity.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { openPortal } from '../support/rooms/portal.js'

type Demanding = Settings['signIn']['secondFactor']['required']

const day = 86_400_000
const demand = (required: readonly (Role | 'operator')[], graceMs = 0) => ({
  signIn: { secondFactor: { required: new Set(required) as Demanding, graceMs } },
})
const everybody = demand(['owner', 'administrator', 'developer', 'member'])

t.test(
  'identity L9: who lacks a demanded factor sees no page but those to set one up, sign in and sign out',
  async (t) => {
    const testApp = await openSignIn(t, everybody)
    const ada = await testApp.person('Ada')
    const browser = testApp.browser()
    const page = await signInWith(browser, ada.email, password)
    t.match(page.path, /^\/sign-in\?demanded=yes$/)
    t.match(page.body, /Set up a second factor/)
    t.notMatch(page.body, 'without-form', 'there is no way on')
    const held = [
      ...['/account', '/account/details', '/account/password', '/account/sessions', '/account/delete', '/account/apps'],
      ...['/account/providers', '/consent-requests', '/device', '/choose-tenant', '/consent'],
    ]
    for (const path of held) t.match((await browser.get(path)).location, /^\/sign-in\/demanded\?/, path)
    t.match((await browser.post('/account/details', { name: 'Eve' })).location, /^\/sign-in\/demanded/, 'nor a form')
    for (const path of ['/account/second-factor', '/account/passkeys', '/sign-in', '/sign-out', '/reset-password'])
      t.equal((await browser.get(path)).status, 200, path)
    t.match((await browser.open('/account/details')).body, /Set up a second factor/)
  },
)

t.test('identity L9: setting one up is enough, and the page that was meant comes next', async (t) => {
  const testApp = await openSignIn(t, everybody)
  const ada = await testApp.person('Ada')
  const browser = testApp.browser()
  await signInWith(browser, ada.email, password)
  const waiting = await browser.open('/account/sessions')
  t.match(waiting.body, 'href="/account/sessions"', 'where it goes on')
  const form = await browser.open('/account/second-factor')
  const seed = /id="seed"[^>]*>([^<]+)</.exec(form.body)?.[1]?.replace(/\s/g, '') ?? ''
  const { Secret, TOTP } = await import('otpauth')
  const code = new TOTP({ secret: Secret.fromBase32(seed) }).generate({ timestamp: testApp.clock.nowMs })
  t.match((await browser.submit(form, 'second-factor-form', { code })).body, 'recovery-codes')
  t.equal((await browser.get('/account/sessions')).status, 200)
  const [session] = await testApp.store.reader.selectFrom('sessions').selectAll().execute()
  t.match(session, { acr: '2' }, 'the session has seen both')
})

t.test('identity L9: the last factor of somebody who has to have one stays', async (t) => {
  const testApp = await openSignIn(t, everybody)
  const ada = await testApp.person('Ada')
  const code = await giveCodes(testApp.deps.users, testApp.clock, ada)
  const browser = testApp.browser()
  const second = await signInWith(browser, ada.email, password)
  t.equal((await browser.submit(second, 'code-form', { code: code() })).path, '/account')
  const page = await browser.open('/account/second-factor')
  const refused = await browser.submit(page, 'off-form')
  t.equal(refused.status, 409)
  t.match(refused.body, /has to have a second factor/)
  await givePasskey(testApp.deps.users, ada.userId)
  t.match((await browser.submit(page, 'off-form')).path, /done=second-factor-off/, 'the passkey is left')
  const passkeys = await browser.open('/account/passkeys')
  const remove = /id="(remove-[^"]*)"/.exec(passkeys.body)?.[1] ?? ''
  t.not(remove, '')
  t.equal((await browser.submit(passkeys, remove)).status, 409)
})

t.test('identity L9: after removing the last one freely, the session counts as one of one factor', async (t) => {
  const testApp = await openSignIn(t)
  const ada = await testApp.person('Ada')
  const code = await giveCodes(testApp.deps.users, testApp.clock, ada)
  const browser = testApp.browser()
  await browser.submit(await signInWith(browser, ada.email, password), 'code-form', { code: code() })
  await browser.submit(await browser.open('/account/second-factor'), 'off-form')
  const [session] = await testApp.store.reader.selectFrom('sessions').selectAll().execute()
  t.match(session, { acr: '1', amr: '["pwd"]' })
  await changeTenant(testApp.writes, testApp.tenantId, { secondFactor: 'member' })
  t.match((await browser.get('/account')).location, /^\/sign-in\/demanded/, 'a demand that comes later finds it')
})

t.test('identity L9: in the grace period people hear of it at each sign-in and go on; then they do not', async (t) => {
  const testApp = await openSignIn(t, demand(['member'], 7 * day))
  const ada = await testApp.person('Ada')
  const browser = testApp.browser()
  const page = await signInWith(browser, ada.email, password)
  t.match(page.body, /id="until"/)
  t.equal((await browser.submit(page, 'without-form')).path, '/account')
  t.equal((await browser.get('/account/details')).status, 200)
  testApp.clock.nowMs += 7 * day - 1
  const later = await signInWith(testApp.browser(), ada.email, password)
  t.match(later.body, 'without-form', 'signing in again does not begin it anew')
  testApp.clock.nowMs += 1
  const last = testApp.browser()
  t.notMatch((await signInWith(last, ada.email, password)).body, 'without-form')
  t.match((await last.get('/account')).location, /^\/sign-in\/demanded/)
  const around = await last.post('/sign-in?demanded=yes', { action: 'without' })
  t.not(around.location, '/account', 'nor by a form that was not shown')
})

t.test('identity L9: no application gets a code for a person who lacks a demanded factor', async (t) => {
  const testApp = await openAuthorize(t, everybody)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ state: 's' }))
  t.match(page.path, /^\/sign-in\?request=.*&demanded=yes$/)
  const silent = answerOf(await browser.get(testApp.address({ prompt: 'none' })))
  t.match(silent, { error: 'interaction_required', error_description: /second factor/ })
  t.equal(silent['code'], undefined)
  const next = /id="go-on"[^>]*href="([^"]+)"/.exec(page.body)?.[1] ?? ''
  t.match((await browser.get(next)).location, /demanded=yes$/, 'saying that it is set up does not make it so')
  const code = await giveCodes(testApp.deps.users, testApp.clock, testApp.user)
  testApp.clock.nowMs += 1000
  const again = await browser.open(page.path)
  const done = await browser.submit(await browser.submit(again, 'step-up-form'), 'code-form', { code: code() })
  t.match(answerOf(done), { state: 's', code: /^pcl_ac_/ })
})

t.test('identity L9: codes and refresh tokens of a sign-in with one factor give no tokens any more', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const { refresh_token: one } = await delegation.tokens()
  const session = { authTime: Math.floor(testApp.clock.nowMs / 1000), acr: '2', amr: ['pwd', 'otp', 'mfa'] }
  const { refresh_token: two } = await delegation.tokens({ session })
  const made = await delegation.code()
  await changeTenant(testApp.writes, delegation.tenantId, { secondFactor: 'member' })
  t.match(await delegation.refresh(one), { status: 400, body: { error: 'invalid_grant', error_codes: [50079] } })
  t.equal((await delegation.refresh(two)).status, 200, 'two were shown')
  const redeemed = await testApp.ask({
    ...{ method: 'POST', url: tokenPath, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    payload: new URLSearchParams(redemption(made, delegation.client)).toString(),
  })
  t.match(redeemed.json(), { error: 'invalid_grant', error_codes: [50079] })
  await changeTenant(testApp.writes, delegation.tenantId, { secondFactor: 'none' })
  t.equal((await delegation.refresh(one)).status, 200, 'nothing was lost')
})

/** A person of that role, with a token and a session of one factor. */
async function openManaged(t: Test, role: Role, options: Parameters<typeof openManagement>[1]) {
  const testApp = await openManagement(t, options)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  const person = { email: 'ada@example.test', name: 'Ada', membership: { tenantId, role } }
  const { userId } = await createUser(testApp.deps.users, person)
  const all = testApp.catalogue.permissions.map(({ id }) => id)
  const ask = async (acr: string) => {
    const authTime = Math.floor(testApp.clock.nowMs / 1000)
    const codes: string[] = []
    for (const principal of [
      atPortal(userId, tenantId, { acr, authTime }),
      withToken({ testApp }, tenantId, all, userId, { acr, authTime }),
    ]) {
      testApp.caller.principal = principal
      const answer = await testApp.manage('GET', `/tenants/${tenantId}`)
      codes.push(answer.statusCode === 200 ? 'ok' : String(refusal(answer).code))
      if (answer.statusCode === 401) t.match(answer.headers['www-authenticate'], /acr_values="2"/)
    }
    return codes.join(' ')
  }
  return { testApp, tenantId, userId, ask }
}

t.test(
  'identity L9: the management API takes no token and no session of one factor of theirs, to look either',
  async (t) => {
    const { ask } = await openManaged(t, 'administrator', { identity: demand(['owner', 'administrator']) })
    t.equal(await ask('1'), 'SecondFactorRequired SecondFactorRequired')
    t.equal(await ask('2'), 'ok ok')
  },
)

t.test('identity L9: a role below, and a tenant that demands nothing, are left alone', async (t) => {
  const { ask, testApp, tenantId, userId } = await openManaged(t, 'developer', {
    identity: demand(['owner', 'administrator']),
  })
  t.equal(await ask('1'), 'ok ok')
  await changeTenant(testApp.writes, tenantId, { secondFactor: 'administrator' })
  t.equal(await ask('1'), 'ok ok')
  await changeTenant(testApp.writes, tenantId, { secondFactor: 'developer' })
  t.equal(await ask('1'), 'SecondFactorRequired SecondFactorRequired', 'a tenant may demand it of more')
  await changeTenant(testApp.writes, tenantId, { secondFactor: 'none' })
  const { tenantId: other } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  await addMembership(testApp.deps.users, { userId, tenantId: other, role: 'owner' })
  t.equal(await ask('1'), 'SecondFactorRequired SecondFactorRequired', 'an account is one: owner elsewhere')
  await changeTenant(testApp.writes, other, { state: 'disabled' })
  t.equal(await ask('1'), 'ok ok', 'a tenant that is switched off gives no power, and demands nothing')
})

t.test('identity L9: operators are demanded of by themselves', async (t) => {
  const { ask, testApp, userId } = await openManaged(t, 'member', { identity: demand(['operator']) })
  t.equal(await ask('1'), 'ok ok')
  await setOperator(testApp.deps.users, userId, true)
  t.equal(await ask('1'), 'SecondFactorRequired SecondFactorRequired')
})

t.test('identity L9: a tenant cannot demand less than the server, and says who needs one', async (t) => {
  const { testApp, tenantId } = await openManaged(t, 'owner', { identity: demand(['owner']) })
  testApp.caller.principal = { kind: 'local' }
  const set = async (secondFactor: string) => testApp.manage('PATCH', `/tenants/${tenantId}`, { secondFactor })
  t.same((await set('none')).json().secondFactorRoles, ['owner'])
  t.same((await set('developer')).json().secondFactorRoles, ['owner', 'administrator', 'developer'])
  t.equal((await set('optional')).statusCode, 400)
  const { value } = (await testApp.manage('GET', `/auditEvents?tenantId=${tenantId}&event=tenant.changed`)).json()
  t.match(value[0].details, { secondFactor: { before: 'none', after: 'developer' } })
})

t.test('identity L9: the list of who needs a second factor and has none', async (t) => {
  const { testApp, tenantId, userId } = await openManaged(t, 'owner', { identity: demand(['owner']) })
  const { users } = testApp.deps
  const make = async (name: string, role: Role, where = tenantId) =>
    createUser(users, { email: `${name}@example.test`, name, membership: { tenantId: where, role } })
  const withCodes = await make('Codes', 'owner')
  await giveCodes(users, testApp.clock, withCodes)
  await givePasskey(users, (await make('Passkey', 'owner')).userId)
  await make('Member', 'member')
  const { tenantId: other } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const elsewhere = await make('Elsewhere', 'owner', other)
  await addMembership(users, { userId: elsewhere.userId, tenantId, role: 'member' })
  const lacking = async (where?: string) => {
    const query = `/users?secondFactor=missing${where === undefined ? '' : `&tenantId=${where}`}`
    return (await testApp.manage('GET', query)).json().value.map(({ name }: { name: string }) => name)
  }
  testApp.caller.principal = { kind: 'local' }
  t.same(await lacking(), ['Ada', 'Elsewhere'])
  t.same(await lacking(tenantId), ['Ada'], 'what another tenant demands is not told here')
  await changeTenant(testApp.writes, tenantId, { secondFactor: 'member' })
  t.same(await lacking(tenantId), ['Ada', 'Elsewhere', 'Member'])
  testApp.caller.principal = atPortal(userId, tenantId, { acr: '2', authTime: Math.floor(testApp.clock.nowMs / 1000) })
  t.same(await lacking(), ['Ada', 'Elsewhere', 'Member'], 'an administrator sees the people of the tenant')
  t.equal((await testApp.manage('GET', '/users?secondFactor=none')).statusCode, 400)
})

t.test('identity L9: every page of the portal is held back, and the tenant page says who needs a factor', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('owner')
  const page = await browser.open('/portal/tenant')
  const settings = { name: 'Contoso', devices: 'allowed', 'second-factor': 'administrator' }
  const question = await browser.submit(page, 'tenant-form', settings)
  t.match(question.body, /Demand a second factor in Contoso\?/)
  await browser.submit(question, 'confirm-form')
  t.equal((await testApp.directory.findTenant(testApp.tenantId))?.secondFactor, 'administrator')
  const held = testApp.pages.filter((path) => !/\.(css|js|svg|png)$/.test(path))
  for (const path of held) {
    const address = path.replace(/:(\w+)/g, testApp.registration.applicationId)
    t.match((await browser.get(address)).location, /^\/sign-in\/demanded\?/, path)
  }
  const developer = await testApp.as('developer')
  t.equal((await developer.get('/portal/applications')).status, 200)
  const admin = testApp.browser()
  const ada = await testApp.person('Ada', 'administrator')
  const code = await giveCodes(testApp.deps.users, testApp.clock, ada)
  await testApp.signIn(admin, ada.userId)
  testApp.clock.nowMs += 1000
  const step = await admin.open('/portal/people?lacking=factor')
  const listed = await admin.submit(await admin.submit(step, 'step-up-form'), 'code-form', { code: code() })
  t.equal(listed.path, '/portal/people?lacking=factor', 'the page that was meant, with its query')
  t.match(listed.body, /One person needs a second factor and has none/)
})
