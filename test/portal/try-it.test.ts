// Try it: a short token for anyone who may have one, and what the page lets a browser do with it.

import t from 'tap'
import { grantConsent } from '../../src/directory/permissions/permissions.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { type Shown, textOf } from '../support/browser/scripted-browser.js'
import { atPortal } from '../support/models/isolation.js'
import { otherResource, ownResource } from '../support/rooms/directory.js'
import { readToken } from '../support/rooms/identity.js'
import { refusal } from '../support/rooms/management.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const at = ({ registration }: PortalApp) => `/portal/applications/${registration.applicationId}/try-it`
const application = (id: string, resource = ownResource) => ({ kind: 'application' as const, resource, id })
const tokenOf = (page: Shown) => /id="token"[^>]* value="([^"]*)"/.exec(page.body)?.[1]
const policyOf = (page: Shown) => String(page.headers['content-security-policy'])

t.test('a token of the application, five minutes long, in the page and in the ledger', async (t) => {
  const authority = { pem: 'PEM', fingerprint: Array(32).fill('AB').join(':') }
  const testApp = await openPortal(t, { authority })
  const user = await testApp.person('Ada', 'developer')
  const browser = testApp.browser()
  await testApp.signIn(browser, user.userId)
  const page = await browser.get(at(testApp))
  t.equal(page.status, 200)
  t.notMatch(policyOf(page), 'connect-src', 'U5 no script may connect where there is no token')
  const shown = await browser.submit(page, 'token-form-0')
  t.equal(shown.status, 200)
  const { claims } = readToken(tokenOf(shown))
  t.match(claims, {
    ...{ aud: ownResource, sub: testApp.registration.applicationId, tid: testApp.tenantId, cid: 'trial' },
    roles: ['User.Read.All', 'assets_read'],
  })
  t.equal(Number(claims['exp']) - Number(claims['iat']), 300)
  t.match(textOf(shown, 'claims'), /exp.*2026-11-21T10:05:00\.000Z/s)
  t.match(policyOf(shown), "connect-src 'self'")
  t.notMatch(policyOf(shown), 'unsafe')
  t.equal(shown.headers['cache-control'], 'no-store')
  t.match(textOf(shown, 'curl'), 'curl --cacert ca.pem -i', 'the certificate is a development one')
  t.match(textOf(shown, 'trust'), authority.fingerprint)
  t.notMatch(shown.body, 'data/tls', 'no path of the server’s disk')
  const [last] = (await testApp.events()).slice(-1)
  t.match(last, { event: 'token.issued-for-trial', actor: { kind: 'user', userId: user.userId } })
  t.notMatch(JSON.stringify(await testApp.events()), String(tokenOf(shown)), 'the token itself is nowhere')
  const activity = await browser.get(at(testApp).replace('try-it', 'activity'))
  t.match(textOf(activity, 'decisions'), /Token request\s*trial\s*Granted\s*User\.Read\.All, assets_read/)
  t.match(textOf(activity, 'tokens-out'), /^1 token/)
  await checkRefusals(t, testApp, { path: at(testApp), form: { id: 'token-form-0', fields: {} } })
})

t.test('what is ticked is what the token has; of each API its own', async (t) => {
  const testApp = await openPortal(t)
  const { tenantId } = testApp
  const permissions = [
    application('assets_read'),
    application('assets_create'),
    application('things_read', otherResource),
  ]
  const other = await testApp.registerDemo({ tenantId, permissions })
  const own = { ...testApp, registration: other.registration }
  const browser = await testApp.as('developer')
  const page = await browser.get(at(own))
  const one = await browser.submit(page, 'token-form-0', { permission: 'assets_create' })
  t.same(readToken(tokenOf(one)).claims['roles'], ['assets_create'])
  const things = await browser.submit(page, 'token-form-1')
  t.match(readToken(tokenOf(things)).claims, { aud: otherResource, roles: ['things_read'] })
  const refused: [string, Record<string, string>][] = [
    ['one that is not configured', { permission: 'assets_delete' }],
    ['no API of ours', { resource: 'https://evil.test' }],
    ['what is none', { permission: '"><script>alert(1)</script>' }],
  ]
  for (const [title, fields] of refused) {
    const answer = await browser.submit(page, 'token-form-0', fields)
    t.equal(answer.status, 400, title)
    t.equal(tokenOf(answer), undefined, title)
    t.notMatch(answer.body, '<script>alert', 'U4')
    t.ok(textOf(answer, 'problem').length > 10, title)
  }
})

t.test('nobody gets a token with more than they could use themselves', async (t) => {
  const testApp = await openPortal(t)
  const { tenantId } = testApp
  const permissions = [application('assets_read'), application('Consent.ReadWrite.All')]
  const { registration } = await testApp.registerDemo({ tenantId, permissions })
  const own = { ...testApp, registration }
  const developer = await testApp.as('developer')
  const refused = await developer.submit(await developer.get(at(own)), 'token-form-0', { permission: 'assets_read' })
  t.equal(refused.status, 403)
  t.match(textOf(refused, 'problem'), /was granted Consent\.ReadWrite\.All, which you could not use yourself/)
  t.equal(tokenOf(refused), undefined)
  const administrator = await testApp.as('administrator')
  const given = await administrator.submit(await administrator.get(at(own)), 'token-form-0')
  t.match(readToken(tokenOf(given)).claims, { roles: ['Consent.ReadWrite.All', 'assets_read'] })
  // Granted in the moment in which the token is made: the second look finds it.
  const late = await testApp.registerDemo({ tenantId, permissions, consentBy: undefined })
  const { applicationId } = late.registration
  await grantConsent(testApp.writes, applicationId, { permissions: [application('assets_read')], by: 'local' })
  const { userId } = await testApp.person('Bob', 'developer')
  const path = `/applications/${applicationId}/token`
  testApp.caller.principal = atPortal(userId, tenantId)
  t.equal((await testApp.manage('POST', path, {})).statusCode, 200)
  const { findRegistration } = testApp.directory
  testApp.directory.findRegistration = async (id) => {
    await grantConsent(testApp.writes, applicationId, { permissions: 'all', by: 'local' })
    return findRegistration(id)
  }
  t.match(refusal(await testApp.manage('POST', path, {})), { status: 403, code: 'HoldsMore' })
})

t.test('applications, other tenants, and people who left get none', async (t) => {
  const testApp = await openPortal(t)
  const { tenantId, registration } = testApp
  const path = `/applications/${registration.applicationId}/token`
  const { userId } = await testApp.person('Ada', 'developer')
  const as = (principal: typeof testApp.caller.principal) => {
    testApp.caller.principal = principal
    return testApp.manage('POST', path, {})
  }
  const permissions = new Set(['Application.ReadWrite.All', 'User.Read.All', 'assets_read'])
  const keyId = testApp.keyring.signingKey('token').kid
  const times = { issuedAt: 1, expiresAt: 9_999_999_999, seq: testApp.view.seq }
  const common = { tenantId, resource: ownResource, permissions, keyId, ...times }
  const itself = { ...common, kind: 'application', applicationId: registration.applicationId }
  t.match(refusal(await as({ ...itself, tokenId: 'x', credentialId: 'y' } as never)), {
    status: 403,
    code: 'PeopleOnly',
  })
  const elsewhere = await createTenant(testApp.writes, { name: 'Elsewhere' })
  const otherOwner = await testApp.person('Eve', 'owner', elsewhere.tenantId)
  t.match(refusal(await as(atPortal(otherOwner.userId, elsewhere.tenantId))), { status: 404 })
  t.match(refusal(await as(atPortal(otherOwner.userId, tenantId))), { status: 403, code: 'NotAMember' })
  testApp.caller.principal = atPortal(userId, tenantId)
  const params = { tenantId: elsewhere.tenantId }
  t.match(refusal(await testApp.manage('POST', path, params)), { status: 404, code: 'TenantNotFound' })
  const local = await as({ kind: 'local' })
  t.equal(local.json().expires_in, 3599, 'the operator’s token is what it was')
})

t.test('without anything granted, and for native applications, the page leads on', async (t) => {
  const testApp = await openPortal(t)
  const { tenantId } = testApp
  const browser = await testApp.as('developer')
  const bare = await testApp.registerDemo({ tenantId, consentBy: undefined })
  const page = await browser.get(at({ ...testApp, ...bare }))
  t.match(textOf(page, 'nothing-granted'), /is granted yet/)
  t.notMatch(page.body, 'token-form')
  const native = await testApp.registerDemo({
    ...{ type: 'native', tenantId, redirectUris: ['http://localhost/back', 'com.example.app:/cb'] },
  })
  const people = await browser.get(at({ ...testApp, ...native }))
  t.match(textOf(people, 'native'), /acts for people only/)
  const [link = ''] = [...people.body.matchAll(/href="(https:[^"]*authorize[^"]*)"/g)].map(([, url = '']) => url)
  const { searchParams } = new URL(link.replaceAll('&amp;', '&'))
  t.match(Object.fromEntries(searchParams), {
    ...{ response_type: 'code', client_id: native.registration.applicationId, redirect_uri: 'com.example.app:/cb' },
    ...{ code_challenge_method: 'S256', scope: /^openid profile .*User\.Read\.All/ },
  })
  t.equal((people.body.match(/>Test sign-in</g) ?? []).length, 3, 'a heading, and one for each redirect URI')
  const answer = await testApp.ask({
    method: 'GET',
    url: link.replaceAll('&amp;', '&').replace('https://portcullis.test', ''),
  })
  t.equal(answer.statusCode, 303, 'the authorization endpoint takes it')
  t.match(answer.headers.location, /^\/sign-in/)
})
