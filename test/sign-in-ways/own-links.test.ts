// Where a tenant lets its people in because of who they are at a provider, nobody says that of themselves: every way in
// which a person could put another account of the provider in the place of theirs.

import t from 'tap'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { linkProvider, unlinkProvider } from '../../src/users/accounts/external-identities.js'
import { addMembership, setRole } from '../../src/users/memberships/memberships.js'
import { openSignIn } from '../support/people/sign-in.js'
import { startFakeProvider } from '../support/providers/fake-provider.js'

const owners = { ownSignIn: 'owners' } as const
const onlyCorp = { ...owners, signInProviders: ['fake'] }

async function open(t: Parameters<typeof startFakeProvider>[0] & { testdir(): string }) {
  const provider = await startFakeProvider(t)
  const { issuer, settings } = provider
  const providers = new Map([
    ['fake', settings],
    ['twin', { ...settings, name: 'twin', label: 'Twin ID' }],
    ['other', { ...settings, name: 'other', label: 'Other ID', issuer: 'https://other.example' }],
  ])
  const testApp = await openSignIn(t, { signIn: { providers } })
  testApp.clock.nowMs = Date.now()
  const ada = await testApp.person('Ada')
  const { users } = testApp.deps
  const link = (name = 'fake', at = issuer) =>
    linkProvider(users, { userId: ada.userId, provider: name, issuer: at, subject: 'somebody' })
  const unlink = (at = issuer) => unlinkProvider(users, { userId: ada.userId, issuer: at })
  const set = (ways: Parameters<typeof changeTenant>[2]) => changeTenant(testApp.writes, testApp.tenantId, ways)
  const links = () => testApp.store.reader.selectFrom('external_identities').select('subject').execute()
  return { testApp, provider, ada, link, unlink, set, links }
}

const goThere = (body: string) => (/id="go-there" href="([^"]+)"/.exec(body)?.[1] ?? '').replaceAll('&amp;', '&')

t.test('C20 nobody links a provider through which a tenant of theirs lets people in', async (t) => {
  const { testApp, provider, ada, set, links } = await open(t)
  const browser = await testApp.signedIn(ada)
  const page = await browser.open('/account/providers')
  const begun = goThere((await browser.submit(page, 'link-fake-form')).body)
  await set(onlyCorp)
  const back = await browser.open(provider.answer(begun))
  t.equal(back.status, 409, 'begun before the policy, and back after it')
  t.match(back.body, /only its administrators link it/)
  t.equal((await browser.submit(page, 'link-fake-form')).status, 409, 'a form from before')
  const now = await browser.open('/account/providers')
  t.match(now.body, /id="link-fake-kept">Kept by Contoso/)
  t.notMatch(now.body, /id="link-(?:fake|twin)-form"/)
  t.match(now.body, /id="link-other-form"/, 'another provider is theirs')
  t.same(await links(), [])
})

t.test('C20 nor do they unlink one, to link another account after it', async (t) => {
  const { testApp, ada, link, unlink, set, links } = await open(t)
  await link()
  const browser = await testApp.signedIn(ada)
  const page = await browser.open('/account/providers')
  await set(onlyCorp)
  const refused = await browser.submit(page, 'unlink-fake-form')
  t.equal(refused.status, 409)
  t.match(refused.body, /only its administrators link it/)
  await t.rejects(unlink(), { code: 'TenantKeepsLink' }, 'by whichever way they came')
  t.equal((await links()).length, 1, 'what was linked before stays')
})

t.test('which links a tenant keeps', async (t) => {
  const { testApp, ada, link, unlink, set } = await open(t)
  const kept = { code: 'TenantKeepsLink' }
  await set(onlyCorp)
  await t.rejects(link('twin'), kept, 'another provider of the same issuer is the same')
  await set({ ...owners, signInProviders: null })
  await t.rejects(link('other', 'https://other.example'), kept, 'every provider of the server')
  await set({ ...owners, signInProviders: ['other'] })
  await link()
  await set({ ...owners, signInProviders: ['gone', 'fake'] })
  await set({ state: 'disabled' })
  await t.rejects(unlink(), kept, 'while the tenant is switched off')
  await set({ state: 'enabled', ownSignIn: 'allowed' })
  await unlink()
  await link()
  await set({ ...owners, signInProviders: ['fake'] })
  await setRole(testApp.deps.users, { userId: ada.userId, tenantId: testApp.tenantId, role: 'owner' })
  await unlink()
  t.ok(await link().then(() => true), 'an owner needs no provider to get in')
})

t.test('any tenant of the person keeps it, whatever the others say', async (t) => {
  const { testApp, ada, link } = await open(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  await addMembership(testApp.deps.users, { userId: ada.userId, tenantId, role: 'developer' })
  await changeTenant(testApp.writes, tenantId, onlyCorp)
  await t.rejects(link(), { code: 'TenantKeepsLink' })
})
