// An administrator's link that says who somebody is at a provider: it takes the link, the account here and the account
// there, and none of the three without the others.

import t from 'tap'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { linkProvider } from '../../src/users/accounts/external-identities.js'
import { createLink } from '../../src/users/accounts/one-time-links.js'
import { removeMembership } from '../../src/users/memberships/leave-tenant.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { createSession, listSessions } from '../../src/users/sessions/sessions.js'
import { openSignIn, password, type SignInApp } from '../support/people/sign-in.js'
import { startFakeProvider } from '../support/providers/fake-provider.js'
import { openPortal } from '../support/rooms/portal.js'

const onlyCorp = { ownSignIn: 'owners', signInProviders: ['fake'] } as const

async function open(t: Parameters<typeof startFakeProvider>[0] & { testdir(): string }) {
  const provider = await startFakeProvider(t)
  const testApp = await openSignIn(t, { signIn: { providers: new Map([['fake', provider.settings]]) } })
  testApp.clock.nowMs = Date.now()
  const ada = await testApp.person('Ada')
  await changeTenant(testApp.writes, testApp.tenantId, onlyCorp)
  const made = async (more: { tenantId?: string; email?: string } = {}) => {
    const { tenantId, deps } = testApp
    const link = { tenantId, userId: ada.userId, email: 'Ada@Corp.example', ...more }
    const { url } = await createLink(
      { ...deps.users, actor: { kind: 'system' } },
      { purpose: 'provider-link', ...link },
    )
    return new URL(url).pathname
  }
  const goThere = async (browser: ReturnType<SignInApp['browser']>, path: string) => {
    const page = await browser.submit(await browser.open(path), 'by-fake')
    return (/id="go-there" href="([^"]+)"/.exec(page.body)?.[1] ?? '').replaceAll('&amp;', '&')
  }
  const come = async (path: string, claims: Record<string, unknown>) => {
    provider.next.claims = claims
    const browser = await testApp.signedIn(ada)
    return browser.open(provider.answer(await goThere(browser, path)))
  }
  const links = () => testApp.store.reader.selectFrom('external_identities').select(['user_id', 'subject']).execute()
  return { testApp, provider, ada, made, goThere, come, links }
}

const right = { email: 'ada@corp.example', email_verified: true }

t.test('C20 with the account of that address, in the place of the one before, once', async (t) => {
  const { testApp, provider, ada, made, come, links } = await open(t)
  await changeTenant(testApp.writes, testApp.tenantId, { ownSignIn: 'allowed' })
  const before = { userId: ada.userId, provider: 'fake', issuer: provider.issuer, subject: 'private' }
  await linkProvider(testApp.deps.users, before)
  await changeTenant(testApp.writes, testApp.tenantId, onlyCorp)
  const path = await made()
  const { idHash } = (
    await createSession(testApp.deps.users, {
      ...{ userId: ada.userId, acr: '1', amr: ['fed'], way: 'provider:fake', userAgent: '', address: '' },
    })
  ).session
  t.match((await come(path, right)).path, /^\/account\/providers\?done=provider-linked/)
  const sessions = await listSessions(testApp.deps.users, ada.userId)
  t.equal(sessions.length, 1, 'they are signed in')
  t.not(sessions[0]?.idHash, idHash, 'who came by the account of before is not')
  t.match(await links(), [{ user_id: ada.userId, subject: 'ada-at-provider' }])
  t.equal((await (await testApp.signedIn(ada)).open(path)).status, 404, 'used')
  const events = await testApp.events(ada.userId)
  const noted = events.filter((event) => /provider|link/.test(event))
  t.same(noted.slice(-3), ['user.provider-unlinked', 'user.provider-linked', 'link.used'])
})

t.test('who has to sign in first comes back to the link', async (t) => {
  const { testApp, ada, made } = await open(t)
  const path = await made()
  const browser = testApp.browser()
  const page = await browser.open(path)
  t.match(page.path, /^\/sign-in/)
  t.notMatch(page.path, /pcl_ol_/, 'the link is in no address of ours')
  const after = await browser.submit(page, 'sign-in-form', { email: ada.email, password })
  t.equal(after.path, path)
  t.match(after.body, /id="choose-fake"/)
})

t.test('C20 no other account there: another address, none, or one that is not verified', async (t) => {
  const { made, come, links } = await open(t)
  const path = await made()
  for (const more of [{ email: 'friend@corp.example' }, { email: undefined }, { email_verified: false }]) {
    const refused = await come(path, { ...right, ...more })
    t.equal(refused.status, 409, JSON.stringify(more))
    t.match(refused.body, /does not confirm the address/)
  }
  t.same(await links(), [])
  t.match((await come(path, { ...right, email_verified: undefined })).path, /provider-linked/, 'it says nothing of any')
})

t.test('C20 nobody else here: another person, nobody, or after they have left', async (t) => {
  const { testApp, provider, ada, made, goThere, links } = await open(t)
  const path = await made()
  const eve = await testApp.signedIn(await testApp.person('Eve'))
  t.equal((await eve.open(path)).status, 404)
  t.match((await testApp.browser().open(path)).path, /^\/sign-in/)
  provider.next.claims = right
  const browser = await testApp.signedIn(ada)
  const there = await goThere(browser, path)
  await removeMembership(testApp.deps.users, { userId: ada.userId, tenantId: testApp.tenantId })
  t.equal((await browser.open(provider.answer(there))).status, 404)
  t.same(await links(), [])
})

t.test('C20 an administrator of one tenant does not say it for another one; the machine does', async (t) => {
  const { testApp, ada, made, come, links } = await open(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Evil' })
  await addMembership(testApp.deps.users, { userId: ada.userId, tenantId, role: 'owner' })
  const refused = await come(await made({ tenantId }), right)
  t.equal(refused.status, 409)
  t.same(await links(), [])
  const { url } = await createLink(testApp.deps.users, {
    ...{ purpose: 'provider-link', tenantId: testApp.tenantId, userId: ada.userId, email: right.email },
  })
  t.match((await come(new URL(url).pathname, right)).path, /provider-linked/)
})

t.test('C20 who joins brings no account of a provider that they linked themselves', async (t) => {
  const { testApp, provider } = await open(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const { users } = testApp.deps
  const eve = await testApp.person('Eve')
  await removeMembership(users, { userId: eve.userId, tenantId: testApp.tenantId })
  await addMembership(users, { userId: eve.userId, tenantId, role: 'member' })
  testApp.clock.nowMs += 1
  await linkProvider(users, { userId: eve.userId, provider: 'fake', issuer: provider.issuer, subject: 'friend' })
  const join = { userId: eve.userId, tenantId: testApp.tenantId }
  await t.rejects(addMembership(users, { ...join, role: 'member' }), { code: 'LinkedBefore' })
  t.ok(await addMembership(users, { ...join, role: 'owner' }), 'an owner needs no provider to get in')
})

t.test('C20 the API: for people of the own tenant, for nobody above, and for oneself never', async (t) => {
  const testApp = await openPortal(t, { identity: { signIn: { providers: new Map([['fake', fake]]) as never } } })
  const admin = await testApp.as('administrator')
  const mia = await testApp.person('Mia')
  const olga = await testApp.person('Olga', 'owner')
  const page = await admin.open(`/portal/people/${mia.userId}`)
  const shown = await admin.submit(page, 'provider-link-form', { address: 'mia@corp.example' })
  t.equal(shown.status, 201)
  t.match(shown.body, /\/link-provider\/pcl_ol_[0-9A-Za-z]{43}/)
  t.notMatch((await admin.open('/portal/people')).body, 'mia@corp.example', 'it is no invitation')
  const [row] = await testApp.store.reader.selectFrom('one_time_links').selectAll().execute()
  t.match(row, { user_id: mia.userId, email: 'mia@corp.example', tenant_id: testApp.tenantId })
  const post = (userId: string) => admin.open(`/portal/people/${userId}`)
  t.notMatch((await post(olga.userId)).body, 'provider-link-form')
})

const fake = {
  ...{ name: 'fake', label: 'Fake ID', issuer: 'https://fake.example', clientId: 'portcullis', scope: 'openid' },
  ...{ createUsers: false, role: 'member' as const, tenantId: undefined, clientSecret: undefined, ca: undefined },
}
