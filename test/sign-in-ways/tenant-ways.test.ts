// A tenant that takes only some ways to sign in (decision 130): who may choose them, and every place where a session
// that was made another way is refused.

import t from 'tap'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { createUser } from '../../src/users/accounts/users.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { createSession } from '../../src/users/sessions/sessions.js'
import { takesWay } from '../../src/users/sessions/tenant-ways.js'
import { answerOf, openAuthorize } from '../support/rooms/authorize.js'
import { openManagement } from '../support/rooms/management.js'
import { openPortal } from '../support/rooms/portal.js'

type Test = Parameters<typeof openAuthorize>[0]

const provider = (name: string, label: string) => ({
  ...{ name, label, issuer: `https://${name}.example`, clientId: 'portcullis', scope: 'openid', createUsers: false },
  ...{ role: 'member' as const, tenantId: undefined, clientSecret: undefined, ca: undefined, roles: undefined },
})
const providers = new Map([
  ['corp', provider('corp', 'Corp ID')],
  ['other', provider('other', 'Other ID')],
]) as never
const onlyCorp = { ownSignIn: 'owners', signInProviders: ['corp'] } as const

async function open(t: Test) {
  const testApp = await openAuthorize(t, { signIn: { providers } })
  const come = async (way: string | undefined, userId = testApp.user.userId) => {
    const browser = testApp.browser()
    const { cookie } = await createSession(testApp.deps.users, {
      ...{ userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1', way },
    })
    browser.cookies.set('__Host-portcullis-session', cookie)
    return browser
  }
  return { testApp, come }
}

t.test('what a tenant takes, by way and role', async (t) => {
  const all = { ownSignIn: 'allowed', signInProviders: null } as const
  const takes = (ways: Parameters<typeof takesWay>[0], way: string, role = 'member' as 'member' | 'owner') =>
    takesWay(ways, { way }, { role }, providers)
  t.ok(takes(all, ''), 'a session from before it was noted')
  for (const way of ['', 'password', 'passkey', 'provider:other', 'provider:', 'corp'])
    t.notOk(takes(onlyCorp, way), way)
  t.ok(takes(onlyCorp, 'provider:corp'))
  t.ok(takes(onlyCorp, 'password', 'owner'))
  t.notOk(takes(onlyCorp, '', 'owner'), 'an owner signs in once more too')
  t.notOk(takes(onlyCorp, 'provider:other', 'owner'))
  t.ok(takes({ ownSignIn: 'owners', signInProviders: null }, 'provider:other'))
  t.ok(takes({ ownSignIn: 'allowed', signInProviders: [] }, 'passkey'))
  t.notOk(takes({ ownSignIn: 'allowed', signInProviders: [] }, 'provider:corp'))
})

t.test('C21 no application of the tenant gets a code for a session of another way', async (t) => {
  const { testApp, come } = await open(t)
  const browser = await come('password')
  t.match(answerOf(await browser.open(testApp.address())), { code: /^pcl_ac_/ }, 'before')
  await changeTenant(testApp.writes, testApp.tenantId, onlyCorp)
  for (const way of ['password', 'passkey', 'provider:other', undefined]) {
    const refused = await (await come(way)).open(testApp.address())
    t.equal(refused.status, 403, String(way))
    t.match(refused.body, /wants its people to sign in with Corp ID/)
    t.match(refused.body, /href="\/sign-in\/external\/corp\?request=/)
    t.notMatch(refused.body, /external\/other/)
    const silent = answerOf(await (await come(way)).get(testApp.address({ prompt: 'none' })))
    t.match(silent, { error: 'interaction_required' })
    t.equal(silent['code'], undefined)
  }
  t.match(answerOf(await (await come('provider:corp')).open(testApp.address())), { code: /^pcl_ac_/ })
})

t.test('owners keep the own way, also where the provider is gone; nobody else does', async (t) => {
  const { testApp, come } = await open(t)
  const owner = await testApp.person({ role: 'owner' })
  await testApp.consent({ userId: owner.userId })
  await changeTenant(testApp.writes, testApp.tenantId, { ownSignIn: 'owners', signInProviders: ['gone'] })
  t.match(answerOf(await (await come('password', owner.userId)).open(testApp.address())), { code: /^pcl_ac_/ })
  const refused = await (await come('password')).open(testApp.address())
  t.equal(refused.status, 403)
  t.match(refused.body, /Ask an owner of/)
  t.notMatch(refused.body, /href="\/sign-in\/external/)
})

t.test('a consent that was shown before the change is not taken', async (t) => {
  const testApp = await openAuthorize(t, { signIn: { providers }, consented: false })
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address())
  t.match(page.path, /^\/consent/)
  await changeTenant(testApp.writes, testApp.tenantId, onlyCorp)
  const answer = await browser.submit(page, 'consent', { decision: 'accept' })
  t.equal(answer.status, 403)
  t.same(
    await testApp.store.reader
      .selectFrom('user_consents')
      .selectAll()
      .where('user_id', '=', testApp.user.userId)
      .execute(),
    [],
  )
})

t.test('the sign-in page of its application shows the ways that it takes, and the form to owners', async (t) => {
  const { testApp } = await open(t)
  await changeTenant(testApp.writes, testApp.tenantId, onlyCorp)
  const browser = testApp.browser()
  const page = await browser.open(testApp.address({ tenant: testApp.tenantId }))
  t.match(page.body, /id="provider-corp"/)
  t.notMatch(page.body, /id="provider-other"|id="sign-in-form"/)
  const own = /id="own-way"[^>]*href="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  t.match((await browser.open(own)).body, /id="sign-in-form"/)
  t.match(
    (await testApp.browser().open('/sign-in')).body,
    /id="sign-in-form"[\s\S]*provider-other/,
    'without a tenant all',
  )
})

t.test('the portal: the choice asks first with a number, and holds there from then on', async (t) => {
  const testApp = await openPortal(t, { identity: { signIn: { providers } } })
  const owner = await testApp.as('owner')
  const developer = await testApp.as('developer')
  const page = await owner.open('/portal/tenant')
  const fields = { name: 'Contoso', devices: 'allowed', 'own-sign-in': '', providers: 'named', provider: 'corp' }
  const question = await owner.submit(page, 'tenant-form', fields)
  t.match(question.body, /Take only these ways to sign in to Contoso\?/)
  t.match(question.body, /Left without a way to sign in/)
  await owner.submit(question, 'confirm-form')
  t.match(await testApp.directory.findTenant(testApp.tenantId), onlyCorp)
  const shown = await developer.get('/portal/applications')
  t.equal(shown.status, 403)
  t.match(shown.body, /wants its people to sign in with Corp ID/)
  t.equal((await developer.post('/portal/tenant', { name: 'Eve' })).status, 403)
  t.equal((await testApp.directory.findTenant(testApp.tenantId))?.name, 'Contoso')
})

t.test('an administrator of another way decides nothing for the tenant', async (t) => {
  const { testApp, come } = await open(t)
  const { userId } = await testApp.person({ role: 'administrator' })
  await changeTenant(testApp.writes, testApp.tenantId, onlyCorp)
  const { applicationId } = testApp.registration
  const address = `/api/v2/oauth2/v2.0/adminconsent?client_id=${applicationId}&tenant=${testApp.tenantId}`
  const refused = await (await come('passkey', userId)).open(address)
  t.equal(refused.status, 403)
  t.match(refused.body, /wants its people to sign in with Corp ID/)
  t.notMatch(refused.body, 'id="grant"')
  t.match((await (await come('provider:corp', userId)).open(address)).body, /id="admin-consent"|nothing-new/)
})

t.test('another tenant of the same person is none of its business', async (t) => {
  const { testApp, come } = await open(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  await changeTenant(testApp.writes, tenantId, onlyCorp)
  await addMembership(testApp.deps.users, { userId: testApp.user.userId, tenantId, role: 'member' })
  t.match(answerOf(await (await come('password')).open(testApp.address())), { code: /^pcl_ac_/ })
})

t.test('the API: names that exist, a way for everybody, numbers, the ledger, and what is gone', async (t) => {
  const testApp = await openManagement(t, { identity: { signIn: { providers } } })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  for (const [name, role] of [
    ['Ada', 'member'],
    ['Grace', 'owner'],
  ] as const) {
    await createUser(testApp.deps.users, { email: `${name}@example.test`, name, membership: { tenantId, role } })
  }
  testApp.caller.principal = { kind: 'local' }
  const set = async (body: object) => {
    const answer = await testApp.manage('PATCH', `/tenants/${tenantId}`, body)
    return answer.statusCode === 200 ? answer.json() : answer.json().error.code
  }
  t.equal(await set({ signInProviders: ['nobody'] }), 'UnknownProvider')
  t.equal(await set({ ownSignIn: 'owners', signInProviders: [] }), 'NoWayToSignIn')
  t.match(await set({ signInProviders: [] }), { ownSignIn: 'allowed', signInProviders: [] })
  t.equal(await set({ ownSignIn: 'owners' }), 'NoWayToSignIn', 'nor in two steps')
  t.match(await set({ ...onlyCorp, signInProviders: ['corp', 'corp'] }), { ...onlyCorp, missingProviders: [] })
  const query = '?ownSignIn=owners&signInProviders=corp'
  const count = async (more: string) =>
    (await testApp.manage('GET', `/tenants/${tenantId}/consequences${more}`)).json().withoutWay
  t.equal(await count(query), 1, 'everybody but the owner')
  t.equal(await count(''), null)
  const { value } = (await testApp.manage('GET', `/auditEvents?tenantId=${tenantId}&event=tenant.changed`)).json()
  t.ok(JSON.stringify(value).includes('"signInProviders":{"before":[],"after":["corp"]}'), 'in the ledger')
  await changeTenant(testApp.writes, tenantId, { signInProviders: ['gone', 'corp'] })
  t.match((await testApp.manage('GET', `/tenants/${tenantId}`)).json(), { missingProviders: ['gone'] })
  t.match(
    await set({ signInProviders: ['gone', 'other'] }),
    { missingProviders: ['gone'] },
    'what stood there may stay',
  )
})
