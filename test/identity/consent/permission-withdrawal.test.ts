// Apps with access: single permissions taken from an application, while it keeps the rest.

import t, { type Test } from 'tap'
import { listConsents } from '../../../src/directory/consents/consents.js'
import { withdrawUserPermissions } from '../../../src/directory/consents/permission-withdrawal.js'
import type { PermissionRef } from '../../../src/directory/records.js'
import { DirectoryRefusal } from '../../../src/directory/refusal.js'
import { revocable } from '../../../src/identity/issued-tokens/own-token.js'
import type { AccessTokenClaims } from '../../../src/tokens/claims.js'
import { formOf, type ScriptedBrowser, textOf } from '../../support/browser/scripted-browser.js'
import { deskRoute, needing } from '../../support/mcp/desk-route.js'
import { type AuthorizeApp, answerOf, callback, delegated, openAuthorize, pair } from '../../support/rooms/authorize.js'
import { consentTo, makeCode, makePerson, redemption, type Tokens } from '../../support/rooms/delegation.js'
import { ownResource } from '../../support/rooms/directory.js'
import { introspectPath, readToken, tokenPath } from '../../support/rooms/identity.js'

const both = ['User.Read', 'assets_read']
const word = (id: string): PermissionRef => ({ kind: 'delegated', resource: 'openid', id })
const path = '/account/apps'

async function made(testApp: AuthorizeApp, more: Partial<Parameters<typeof makeCode>[1]> = {}) {
  const { deps, registration, tenantId, user } = testApp
  const { applicationId } = registration
  return makeCode(deps, { userId: user.userId, applicationId, tenantId, permissions: both, ...more })
}

const clientOf = ({ registration, secret }: AuthorizeApp) => ({
  client_id: registration.applicationId,
  client_secret: secret,
})

async function tokensFor(testApp: AuthorizeApp, more: Partial<Parameters<typeof makeCode>[1]> = {}): Promise<Tokens> {
  return (await testApp.post(tokenPath, redemption(await made(testApp, more), clientOf(testApp)))).json()
}

async function refresh(testApp: AuthorizeApp, refresh_token: string, more: Record<string, string> = {}) {
  const form = { grant_type: 'refresh_token', refresh_token, ...clientOf(testApp), ...more }
  const answer = await testApp.post(tokenPath, form)
  return { status: answer.statusCode, ...(answer.json() as Tokens & { error?: string }) }
}

/** What the gate says of the access token now. */
function refusalOf({ view, clock }: AuthorizeApp, token: string) {
  return view.refusal(revocable(readToken(token).claims as unknown as AccessTokenClaims), clock.nowMs)
}

const holderOf = ({ registration, tenantId, user }: AuthorizeApp) => ({
  userId: user.userId,
  applicationId: registration.applicationId,
  tenantId,
})

const take = (testApp: AuthorizeApp, ...permissions: PermissionRef[]) =>
  withdrawUserPermissions(testApp.writes, { ...holderOf(testApp), permissions })

const left = async (testApp: AuthorizeApp) =>
  (await listConsents(testApp.store.reader, holderOf(testApp))).map(({ id }) => id)

const idOf = ({ registration, tenantId }: AuthorizeApp) => `own-${registration.applicationId}-${tenantId}`
const scopesOf = (scope: string) => scope.split(' ').sort()
const restScope = ['User.Read', 'email', 'offline_access', 'openid', 'profile']

async function events({ store }: AuthorizeApp): Promise<string[]> {
  const rows = await store.reader.selectFrom('ledger').selectAll().orderBy('position').execute()
  return rows
    .filter(({ event }) => event.startsWith('consent.') || event === 'grant.ended')
    .map(({ event, details }) => `${event} ${details}`)
}

/** The question, from the list. */
async function question(testApp: AuthorizeApp, browser: ScriptedBrowser, permission: string) {
  const page = await browser.open(path)
  const form = [...page.body.matchAll(/<form id="(take-\d+-[^"]+)"/g)]
    .map(([, id = '']) => id)
    .find((id) => formOf(page, id).fields['permission'] === `${ownResource} ${permission}`)
  t.ok(form?.endsWith(idOf(testApp)), `a button for ${permission}`)
  return browser.submit(page, form ?? '')
}

t.test('C9 a person takes one permission away: tokens are refused at once, a refresh gives the rest', async (t) => {
  const testApp = await openAuthorize(t)
  const { store, user, post } = testApp
  const tokens = await tokensFor(testApp)
  const before = [tokens.access_token, (await tokensFor(testApp, { permissions: ['User.Read'] })).access_token]
  for (const token of before) t.equal(refusalOf(testApp, token), undefined)
  const browser = await testApp.signedIn()
  const requested = await question(testApp, browser, 'assets_read')
  t.match([requested.status, textOf(requested, 'taken')], [200, /assets_read/])
  t.notMatch(textOf(requested, 'taken'), 'User.Read')
  t.match(textOf(requested, 'effect'), /at once\. The application keeps the rest and goes on with a new token/)
  t.equal(refusalOf(testApp, tokens.access_token), undefined, 'a question changes nothing')

  const done = await browser.submit(requested, 'confirm-form')
  t.match([done.path, textOf(done, 'done')], [`${path}?done=taken`, /Taken away/])
  t.notMatch(textOf(done, `permissions-${idOf(testApp)}`), 'assets_read')
  t.match(textOf(done, `permissions-${idOf(testApp)}`), 'User.Read')
  t.same(await left(testApp), ['User.Read', 'email', 'offline_access', 'openid', 'profile'])
  for (const token of before) t.equal(refusalOf(testApp, token), 'holder_revoked')
  t.same((await post(introspectPath, { token: tokens.access_token, ...clientOf(testApp) })).json(), { active: false })
  const introspected = await post(introspectPath, { token: tokens.refresh_token, ...clientOf(testApp) })
  t.same(scopesOf(introspected.json().scope), restScope)

  // RFC 6749 §6: the scope of before was granted once, so naming it is no mistake.
  const old = await refresh(testApp, tokens.refresh_token, { scope: [...both, 'offline_access'].join(' ') })
  t.match([old.status, old.scope], [200, 'User.Read offline_access'])
  t.equal(refusalOf(testApp, old.access_token), undefined)
  const rest = await refresh(testApp, old.refresh_token)
  t.same(scopesOf(rest.scope), restScope)
  t.match(await refresh(testApp, rest.refresh_token, { scope: 'assets_read' }), { status: 400, error: 'invalid_grant' })

  const removed = [{ kind: 'delegated', resource: ownResource, id: 'assets_read' }]
  t.same(await events(testApp), [`consent.withdrawn ${JSON.stringify({ removed, partly: true })}`])
  const row = await store.reader.selectFrom('ledger').selectAll().where('event', '=', 'consent.withdrawn').execute()
  t.match(
    row.map(({ actor, user_id }) => [JSON.parse(actor), user_id]),
    [[{ kind: 'user', userId: user.userId }, user.userId]],
  )
})

t.test('C3 C9 what was taken is prompted for again, silently there is nothing, and no old grant widens', async (t) => {
  const testApp = await openAuthorize(t)
  const tokens = await tokensFor(testApp)
  const browser = await testApp.signedIn()
  const scope = 'User.Read assets_read offline_access'
  const challenge = { code_challenge: pair.challenge, code_challenge_method: 'S256' }
  const address = testApp.address({ scope, ...challenge })
  const silent = testApp.address({ scope, ...challenge, prompt: 'none' })
  t.ok(answerOf(await browser.get(silent))['code'], 'as long as all of it is allowed')
  await take(testApp, delegated('assets_read'))
  t.match(answerOf(await browser.get(silent)), { error: 'consent_required' })
  t.ok(answerOf(await browser.get(testApp.address({ scope: 'User.Read', ...challenge, prompt: 'none' })))['code'])
  const page = await browser.open(address)
  t.match(page.path, /^\/consent\?/)
  const { code = '' } = answerOf(await browser.submit(page, 'consent', { decision: 'accept' }))
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: pair.verifier }
  const fresh = (await testApp.post(tokenPath, { ...form, ...clientOf(testApp) })).json()
  t.match(fresh.scope, 'assets_read', 'the new grant has it')
  const old = await refresh(testApp, tokens.refresh_token)
  t.same(scopesOf(old.scope), restScope, 'the old one never again')
  t.match((await refresh(testApp, fresh.refresh_token)).scope, 'assets_read')
})

t.test('C9 a code that was not redeemed yet gives what is left', async (t) => {
  const testApp = await openAuthorize(t)
  const [waiting, only] = [await made(testApp), await made(testApp, { permissions: ['assets_read'] })]
  t.same(await take(testApp, delegated('assets_read')), { permissions: 1, grants: 1 })
  const redeemed = await testApp.post(tokenPath, redemption(waiting, clientOf(testApp)))
  t.same(scopesOf(redeemed.json().scope), restScope)
  const answer = await testApp.post(tokenPath, redemption(only, clientOf(testApp)))
  t.match(answer.json(), { error: 'invalid_grant' }, 'a grant without anything has ended')
  t.match((await events(testApp)).sort(), [/^consent\.withdrawn /, /^grant\.ended .*consent-withdrawn/])
})

t.test('C9 words of OpenID Connect: staying signed in is taken away, and the grant keeps the rest', async (t) => {
  const testApp = await openAuthorize(t)
  const signIn = await tokensFor(testApp, { permissions: [], openidScopes: ['openid', 'offline_access'] })
  const tokens = await tokensFor(testApp)
  await take(testApp, word('offline_access'))
  t.match(await refresh(testApp, tokens.refresh_token), { status: 400, error: 'invalid_grant' })
  t.same(await take(testApp, word('openid')), { permissions: 1, grants: 1 })
  t.match(await refresh(testApp, signIn.refresh_token), { status: 400, error: 'invalid_grant' })
  t.same(await left(testApp), ['User.Read', 'assets_read', 'email', 'profile'])
})

t.test('C9 the last permission is the whole withdrawal, and the question says so', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  await consentTo(testApp.deps, { ...holderOf(testApp), permissions: ['User.Read'] })
  const tokens = await tokensFor(testApp, { permissions: ['User.Read'], openidScopes: [] })
  const browser = await testApp.signedIn()
  const requested = await question(testApp, browser, 'User.Read')
  t.match(textOf(requested, 'effect'), /Nothing else is left/)
  const done = await browser.submit(requested, 'confirm-form')
  t.match([done.path, textOf(done, 'none')], [`${path}?done=withdrawn`, /have not allowed any/])
  t.ok(refusalOf(testApp, tokens.access_token))
  const grants = await testApp.store.reader.selectFrom('grants').select('state').execute()
  t.same(grants, [{ state: 'ended' }])
  t.match(await events(testApp), [/^grant\.ended /, /^consent\.withdrawn (?!.*partly)/])
})

t.test('C9 what an administrator allowed for everybody has no button, and no request takes it', async (t) => {
  const options = { registration: { consentBy: 'test', permissions: [delegated('assets_read')] }, consented: false }
  const testApp = await openAuthorize(t, options)
  await consentTo(testApp.deps, { ...holderOf(testApp), permissions: ['assets_read', 'profile'] })
  const tokens = await tokensFor(testApp, { permissions: ['assets_read'] })
  const browser = await testApp.signedIn()
  const page = await browser.open(path)
  t.match(textOf(page, `permissions-${idOf(testApp)}`), /assets_read.*only an administrator can take it away/s)
  const forms = [...page.body.matchAll(/<form id="(take-\d+-[^"]+)"/g)].map(([, id = '']) => formOf(page, id).fields)
  t.same(
    forms.map(({ permission }) => permission),
    ['openid profile'],
  )
  const wanted = { ...forms[0], permission: `${ownResource} assets_read` }
  for (const fields of [wanted, { ...wanted, confirmed: 'yes' }]) {
    const answer = await browser.post(path, fields)
    t.match([answer.status, answer.location], [303, `${path}?done=of-tenant`])
  }
  t.match(textOf(await browser.open(`${path}?done=of-tenant`), 'done'), /only an administrator/)
  const refused = await take(testApp, delegated('assets_read'), word('profile')).catch((error: unknown) => error)
  t.ok(refused instanceof DirectoryRefusal)
  t.match(refused, { code: 'ConsentOfTenant' })
  t.same(await left(testApp), ['assets_read', 'profile'], 'all or nothing')
  t.equal(refusalOf(testApp, tokens.access_token), undefined)
  t.same(await take(testApp, word('profile')), { permissions: 1, grants: 0 })
  t.same(await take(testApp, word('profile')), { permissions: 0, grants: 0 })
  t.match(await refresh(testApp, tokens.refresh_token), { status: 400 }, 'offline_access was never allowed')
})

t.test(
  'what an agent does not use is taken away at once, and the question names the tools that it loses',
  async (t) => {
    const tools = { find: needing('User.Read'), close: needing('assets_read'), purge: needing('assets_read') }
    const routes = [deskRoute(tools)]
    const testApp = await openAuthorize(t, {
      replace: (deps) => ({ settings: { ...deps.settings, routes } }),
    })
    const { store, clock, deps } = testApp
    const browser = await testApp.signedIn()
    const { applicationId, tenantId } = holderOf(testApp)
    t.notMatch((await browser.open(path)).body, 'take-unused-', 'allowed only now')
    clock.nowMs += deps.settings.usage.unusedAfterMs + 1
    const day = Math.floor(clock.nowMs / 86_400_000)
    await store.transaction(async (tx) => {
      await tx.updateTable('schema_migrations').set({ applied_at: 1 }).execute()
      await tx
        .insertInto('permission_usage')
        .values({
          ...{ application_id: applicationId, tenant_id: tenantId, kind: 'delegated', resource: ownResource, day },
          ...{ permission_id: 'User.Read', uses: 3, first_used_at: clock.nowMs - 5, last_used_at: clock.nowMs - 5 },
        })
        .execute()
    })
    const later = await testApp.signedIn()
    const page = await later.open(path)
    const id = idOf(testApp)
    t.match(
      textOf(page, `permissions-${id}`),
      /User\.ReadLast used in your organisation on.*assets_readNot used in your organisation since/s,
    )
    t.match(textOf(page, `unused-${id}`), 'Take away the unused one')
    const requested = await later.submit(page, `take-unused-${id}`)
    t.match(textOf(requested, 'taken'), 'assets_read')
    t.notMatch(textOf(requested, 'taken'), /User\.Read|openid|profile/)
    t.match(textOf(requested, 'lost-tools'), /can then no longer call these tools:closepurge/)
    await later.submit(requested, 'confirm-form')
    t.same(await left(testApp), ['User.Read', 'email', 'offline_access', 'openid', 'profile'])
  },
)

t.test('of two clicks the second finds it done; two permissions at once are both gone', async (t) => {
  const testApp = await openAuthorize(t)
  const tokens = await tokensFor(testApp)
  const browser = await testApp.signedIn()
  const requested = await question(testApp, browser, 'assets_read')
  const { fields } = formOf(requested, 'confirm-form')
  const answers = await Promise.all([browser.post(path, fields), browser.post(path, fields)])
  for (const { status, location } of answers) t.match([status, location], [303, `${path}?done=taken`])
  t.equal((await events(testApp)).length, 1)
  const stale = await browser.post(path, { ...fields, confirmed: 'no' })
  t.match([stale.status, stale.location], [303, path], 'nothing to ask about')
  await Promise.all([take(testApp, word('email')), take(testApp, word('profile')), take(testApp, word('email'))])
  t.equal((await events(testApp)).length, 3)
  t.same(await left(testApp), ['User.Read', 'offline_access', 'openid'])
  t.same(scopesOf((await refresh(testApp, tokens.refresh_token)).scope), ['User.Read', 'offline_access', 'openid'])
})

t.test('a click while a refresh runs: no token that the gate takes has the permission afterwards', async (t) => {
  const testApp = await openAuthorize(t)
  for (let round = 0; round < 8; round += 1) {
    const tokens = await tokensFor(testApp)
    const [during] = await Promise.all([
      refresh(testApp, tokens.refresh_token),
      new Promise((resolve) => setImmediate(resolve)).then(() => take(testApp, delegated('assets_read'))),
    ])
    t.equal(during.status, 200)
    const isLive = refusalOf(testApp, during.access_token) === undefined
    t.notOk(isLive && during.scope.includes('assets_read'), during.scope)
    const next = await refresh(testApp, during.refresh_token)
    t.same([next.status, scopesOf(next.scope)], [200, restScope], 'the family lives')
    t.equal(refusalOf(testApp, next.access_token), undefined)
    await consentTo(testApp.deps, { ...holderOf(testApp), permissions: ['assets_read'] })
  }
})

t.test('C2 C3 U2 nobody takes away for others, and no form of another page does', async (t) => {
  const testApp = await openAuthorize(t)
  const { tenantId, ask } = testApp
  const browser = await testApp.signedIn()
  const { fields } = formOf(await question(testApp, browser, 'assets_read'), 'confirm-form')
  const before = await left(testApp)
  t.equal((await browser.post(path, { ...fields, form_token: 'x' })).status, 403)
  t.equal((await browser.post(path, fields, { 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal((await browser.get(`${path}?${new URLSearchParams(fields)}`)).status, 200)
  const other = await testApp.signedIn((await makePerson(testApp.deps, tenantId)).userId)
  t.equal((await other.post(path, fields)).status, 403, 'another session')
  t.equal((await ask({ method: 'POST', url: path, payload: '' })).statusCode, 415)
  const theirs = await other.open(path)
  const token = /name="form_token" value="([^"]+)"/.exec(theirs.body)?.[1] ?? ''
  await other.post(path, { ...fields, form_token: token })
  for (const permission of ['', 'x', `${ownResource} nothing`, 'https://elsewhere.test assets_read']) {
    t.equal((await browser.post(path, { ...fields, permission })).status, 303, permission)
  }
  t.equal((await browser.post(path, { ...fields, application: 'x' })).location, path)
  t.same(await left(testApp), before)
})

t.test('another person keeps theirs, and the application elsewhere keeps its own', async (t: Test) => {
  const testApp = await openAuthorize(t)
  const colleague = await testApp.person()
  await testApp.consent({ userId: colleague.userId })
  const theirs = await tokensFor(testApp, { userId: colleague.userId })
  await take(testApp, delegated('assets_read'))
  t.equal(refusalOf(testApp, theirs.access_token), undefined)
  t.match((await refresh(testApp, theirs.refresh_token)).scope, 'assets_read')
})
