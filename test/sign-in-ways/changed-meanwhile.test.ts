// What a tenant takes when somebody decides, and not when they opened the page; and providers that come and go.

import t from 'tap'
import { checkTenantProviders } from '../../src/cli/commands/doctor/doctor-tenants.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { createSession } from '../../src/users/sessions/sessions.js'
import { formOf } from '../support/browser/scripted-browser.js'
import { openAuthorize } from '../support/rooms/authorize.js'
import { openManagement } from '../support/rooms/management.js'
import { openPortal } from '../support/rooms/portal.js'

const provider = (name: string, label: string) => ({
  ...{ name, label, issuer: `https://${name}.example`, clientId: 'portcullis', scope: 'openid', createUsers: false },
  ...{ role: 'member' as const, tenantId: undefined, clientSecret: undefined, ca: undefined, roles: undefined },
})
const providers = () => new Map([['corp', provider('corp', 'Corp ID')]]) as never
const onlyCorp = { ownSignIn: 'owners', signInProviders: ['corp'] } as const

const cameBy = (userId: string, way: string) => ({
  ...{ userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1', way },
})

/** As another instance: the change is in the Store, and what is kept in memory does not have it yet. */
async function changeUnseen(testApp: Awaited<ReturnType<typeof openAuthorize>>) {
  const { directory, tenantId } = testApp
  const before = await directory.findTenant(tenantId)
  await changeTenant(testApp.writes, tenantId, onlyCorp)
  const findTenant = directory.findTenant.bind(directory)
  Object.assign(directory, { findTenant: async (id: string) => (id === tenantId ? before : findTenant(id)) })
  return { seen: () => Object.assign(directory, { findTenant }) }
}

t.test('C21 no code for a request that was looked at before the change', async (t) => {
  const testApp = await openAuthorize(t, { signIn: { providers: providers() } })
  const browser = await testApp.signedIn()
  const { seen } = await changeUnseen(testApp)
  const resumed = await browser.get(testApp.address())
  t.equal(resumed.status, 303)
  t.notMatch(resumed.location ?? '', /code=/, 'it is decided anew')
  seen()
  t.equal((await browser.open(resumed.location ?? '')).status, 403)
  t.same(await testApp.store.reader.selectFrom('grants').selectAll().execute(), [])
})

t.test('no consent either, for oneself or for everybody', async (t) => {
  const testApp = await openAuthorize(t, { signIn: { providers: providers() }, consented: false })
  const { userId } = await testApp.person({ role: 'administrator' })
  const own = await testApp.signedIn()
  const page = await own.open(testApp.address())
  const admin = await testApp.signedIn(userId)
  const { applicationId } = testApp.registration
  const question = await admin.open(
    `/api/v2/oauth2/v2.0/adminconsent?client_id=${applicationId}&tenant=${testApp.tenantId}`,
  )
  const { seen } = await changeUnseen(testApp)
  const send = async (from: typeof own, shown: typeof page, form: string, fields: Record<string, string>) => {
    const { action, fields: hidden } = formOf(shown, form)
    return from.post(action, { ...hidden, ...fields }, { origin: 'null', 'sec-fetch-site': 'same-origin' })
  }
  t.equal((await send(own, page, 'consent', { decision: 'accept' })).status, 303)
  const granted = await send(admin, question, 'admin-consent', { decision: 'grant' })
  t.equal(granted.status, 303, 'it is decided anew')
  seen()
  t.equal((await admin.open(granted.location ?? '')).status, 403)
  const events = await testApp.store.reader.selectFrom('ledger').select('event').execute()
  t.same(
    events.filter(({ event }) => /consent/.test(event)),
    [],
  )
})

t.test('no device is allowed by a sign-in that the tenant does not take any more', async (t) => {
  const testApp = await openAuthorize(t, {
    signIn: { providers: providers() },
    registration: { type: 'native', redirectUris: ['http://127.0.0.1/callback'] },
  })
  const { applicationId: client_id } = testApp.registration
  const code = await testApp.post('/api/v2/oauth2/v2.0/devicecode', { client_id, scope: 'User.Read' })
  const browser = await testApp.signedIn()
  const typed = await browser.submit(await browser.open('/device'), 'code-form', { user_code: code.json().user_code })
  const { seen } = await changeUnseen(testApp)
  const refused = await browser.submit(typed, 'decision-form', { decision: 'allow' })
  seen()
  t.match([refused.status, refused.body], [400, /This page has expired/])
  t.same(await testApp.store.reader.selectFrom('grants').selectAll().execute(), [])
})

t.test('a sign-in through a provider that is gone opens nothing, and nobody falls back to a password', async (t) => {
  for (const signInProviders of [['corp'], null]) {
    const configured: Map<string, unknown> = providers()
    const testApp = await openAuthorize(t, { signIn: { providers: configured as never } })
    await changeTenant(testApp.writes, testApp.tenantId, { ownSignIn: 'owners', signInProviders })
    const come = async (way: string) => {
      const browser = testApp.browser()
      const { cookie } = await createSession(testApp.deps.users, cameBy(testApp.user.userId, way))
      browser.cookies.set('__Host-portcullis-session', cookie)
      return browser
    }
    const browser = await come('provider:corp')
    t.match((await browser.open(testApp.address())).location, /code=/)
    configured.delete('corp')
    t.match((await browser.open(testApp.address())).path, /^\/sign-in/, 'the session has ended')
    const refused = await (await come('password')).open(testApp.address())
    t.equal(refused.status, 403)
    t.match(refused.body, /This server has no such way now. Ask an owner of/)
    t.notMatch(refused.body, /own=yes|external\/corp|account\/providers/)
  }
})

t.test('everything else about a tenant is changed while its provider is gone', async (t) => {
  const testApp = await openPortal(t, { identity: { signIn: { providers: providers() } } })
  await changeTenant(testApp.writes, testApp.tenantId, { ownSignIn: 'owners', signInProviders: ['gone'] })
  const owner = testApp.browser()
  const { userId } = await testApp.person('Olga', 'owner')
  const { cookie } = await createSession(testApp.deps.users, cameBy(userId, 'password'))
  owner.cookies.set('__Host-portcullis-session', cookie)
  const page = await owner.open('/portal/tenant')
  t.match(page.body, /id="only-owners"[^>]*>Nobody but owners can sign in now/)
  const fields = { name: 'Contoso & Sons', devices: 'allowed', 'own-sign-in': '', providers: 'named', provider: 'gone' }
  const saved = await owner.submit(page, 'tenant-form', fields)
  t.match(saved.path, /done=/)
  t.match(await testApp.directory.findTenant(testApp.tenantId), { name: 'Contoso & Sons', signInProviders: ['gone'] })
})

t.test('the ways are checked against what the tenant has when they are written', async (t) => {
  const testApp = await openManagement(t, { identity: { signIn: { providers: providers() } } })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  testApp.caller.principal = { kind: 'local' }
  const set = (body: object) => testApp.manage('PATCH', `/tenants/${tenantId}`, body)
  const [narrow, few] = await Promise.all([set({ ownSignIn: 'owners' }), set({ signInProviders: [] })])
  t.same(
    [narrow.statusCode, few.statusCode].sort(),
    [200, 400],
    'of two that together leave nobody a way, one is refused',
  )
  await changeTenant(testApp.writes, tenantId, { ownSignIn: 'owners', signInProviders: ['gone'] })
  for (const body of [
    { name: 'C' },
    { ownSignIn: 'owners' },
    { ownSignIn: 'owners', signInProviders: ['gone', 'gone'] },
  ])
    t.equal((await set(body)).statusCode, 200, JSON.stringify(body))
  t.equal((await set({ signInProviders: [] })).statusCode, 400)
  t.match((await testApp.manage('GET', `/tenants/${tenantId}`)).json(), {
    onlyOwners: true,
    missingProviders: ['gone'],
  })
})

t.test('doctor says of a tenant that nobody but its owners can sign in to', async (t) => {
  const tenant = (name: string, missingProviders: string[], onlyOwners: boolean) => ({
    ...{ name, tenantId: name, missingProviders, onlyOwners },
  })
  const value = [
    tenant('A', ['gone'], false),
    tenant('B', [], false),
    tenant('C', ['gone'], true),
    tenant('D', [], true),
  ]
  const findings = await checkTenantProviders({ call: async () => ({ value }) } as never)
  t.match(findings, [
    { state: 'fail', message: 'nobody but owners can sign in to C: gone is not in the configuration' },
    { state: 'fail', message: 'nobody but owners can sign in to D: the configuration has no provider' },
    { state: 'warn', message: /^people of A are to sign in with gone/ },
  ])
})

t.test('the API reference is for everybody: a sign-in that opens no tenant hides nothing', async (t) => {
  const testApp = await openPortal(t, { identity: { signIn: { providers: providers() } } })
  const developer = await testApp.as('developer')
  await changeTenant(testApp.writes, testApp.tenantId, onlyCorp)
  const shown = await developer.get('/portal/reference')
  t.equal(shown.status, 200)
  t.notMatch(shown.body, 'Contoso')
})

t.test('C21 every page of the portal but those that are for everybody is held back', async (t) => {
  const testApp = await openPortal(t, { identity: { signIn: { providers: providers() } } })
  const developer = await testApp.as('developer')
  await changeTenant(testApp.writes, testApp.tenantId, onlyCorp)
  const open: string[] = []
  for (const page of testApp.pages) {
    const shown = await developer.get(page.replace(/:[a-z]+/gi, '00000000-0000-4000-8000-000000000000'))
    if (shown.status !== 403 || !shown.body.includes('wants its people to sign in with Corp ID')) open.push(page)
  }
  t.same([...new Set(open)].sort(), ['/portal/reference'])
})
