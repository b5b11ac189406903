// Consent for agents: which tools the permissions open, in their server's words as a quotation, and for how long.

import t, { type Test } from 'tap'
import { changeToolRules } from '../../../src/directory/tools/tool-rule-changes.js'
import { sweepDead } from '../../../src/instance/sweep.js'
import { insertDefinition } from '../../../src/storage/sql/tool-definitions/tool-definitions.js'
import { type ScriptedBrowser, textOf } from '../../support/browser/scripted-browser.js'
import { deskRoute, needing } from '../../support/mcp/desk-route.js'
import { type AuthorizeApp, answerOf, callback, openAuthorize, pair } from '../../support/rooms/authorize.js'
import { readToken, tokenPath } from '../../support/rooms/identity.js'

const [hourMs, dayMs] = [3_600_000, 86_400_000]
const route = '/desk/mcp'
const challenge = { code_challenge: pair.challenge, code_challenge_method: 'S256' }
const scope = 'User.Read offline_access'
const desk = deskRoute({
  find: needing('User.Read'),
  close: { ...needing('User.Read'), rule: 'approval' },
  secret: needing('User.Read'),
  assets: needing('assets_read'),
  gone: { ...needing('User.Read'), rule: 'never' },
})

async function open(t: Test, routes = [desk]) {
  const testApp = await openAuthorize(t, {
    consented: false,
    replace: (deps) => ({ settings: { ...deps.settings, routes } }),
  })
  const browser = await testApp.signedIn()
  return { testApp, browser, address: testApp.address({ scope, ...challenge }) }
}

/** A code for what the page offers. */
async function accept(browser: ScriptedBrowser, address: string, lasts?: string) {
  const page = await browser.open(address)
  return browser.submit(page, 'consent', { decision: 'accept', ...(lasts === undefined ? {} : { lasts }) })
}

async function redeem({ testApp }: { testApp: AuthorizeApp }, answered: { location: string | undefined }) {
  const { code = '' } = answerOf(answered)
  const client = { client_id: testApp.registration.applicationId, client_secret: testApp.secret }
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: pair.verifier }
  const answer = await testApp.post(tokenPath, { ...form, ...client })
  const refresh = (token: string) =>
    testApp.post(tokenPath, { grant_type: 'refresh_token', refresh_token: token, ...client })
  return { status: answer.statusCode, body: answer.json(), refresh }
}

const endOf = (token: string) => Number(readToken(token).claims['exp']) * 1000

t.test('G2 the page says which tools the permissions open, and what a call needs besides', async (t) => {
  const { testApp, browser, address } = await open(t)
  const said = {
    description: '</q><script>alert(1)</script>\u202eevil\u0007 '.repeat(40),
    name: 'find',
    title: 'Find\u200b a user',
  }
  const digest = { approved_digest: 'x', approved_at: 1, approved_by: 'x', pending_digest: null, pending_text: null }
  const rest = { pending_at: null, pending_announced: 0, announced_at: null, unnamed_at: null }
  const text = JSON.stringify(said)
  await testApp.store.transaction((tx) =>
    insertDefinition(tx, { id: 'd1', route, tool: 'find', approved_text: text, ...digest, ...rest }),
  )
  await changeToolRules(testApp.writes, testApp.tenantId, [
    { route, tool: 'secret', rule: 'never' },
    { route, tool: 'find', rule: 'second_factor' },
  ])
  const page = await browser.open(address)
  t.match(page.path, /^\/consent\?/)
  const tools = textOf(page, 'tools')
  t.match(tools, /find.*second factor.*Find a user: .*close.*approve each call/s)
  t.notMatch(tools, /secret|assets|gone/, 'what is not opened, or never let through')
  t.match(textOf(page, 'tools-title'), '2 tools')
  t.match(page.body, /<q><bdi>Find a user: &lt;\/q>&lt;script>/, 'a quotation, and nothing else')
  t.notMatch(page.body, /[\u202e\u0007\u200b]/)
  const quoted = /<bdi>(Find a user:[^<]*)<\/bdi>/.exec(page.body)?.[1] ?? ''
  t.ok(quoted.length > 0 && quoted.length < 700, 'cut')
  t.match(textOf(page, 'unchecked'), /Nobody here has checked/)
  t.match(page.body, /value="until" checked/)
})

t.test('an API without agents behind it has no such question, and a length sent all the same is none', async (t) => {
  const { browser, address } = await open(t, [])
  const page = await browser.open(address)
  t.notMatch(page.body, /how-long|id="tools/)
  const sent = await browser.submit(page, 'consent', { decision: 'accept', lasts: 'once' })
  t.match(sent.path, /^\/consent\?/, 'the page is shown again')
})

t.test('until it is withdrawn: as every other consent', async (t) => {
  const { testApp, browser, address } = await open(t)
  const first = await redeem({ testApp }, await accept(browser, address))
  t.ok(first.body.refresh_token)
  t.equal((await browser.get(address)).status, 302, 'remembered')
  testApp.clock.nowMs += 2 * dayMs
  t.equal((await first.refresh(first.body.refresh_token)).statusCode, 200)
  const later = await testApp.signedIn()
  const again = await later.open(testApp.address({ scope, ...challenge, prompt: 'consent' }))
  const odd = await later.submit(again, 'consent', { decision: 'accept', lasts: 'a century' })
  t.match(odd.path, /^\/consent\?/, 'what was not offered is nothing')
})

t.test('once: one token and no other, and the next time the page again', async (t) => {
  const { testApp, browser, address } = await open(t)
  const first = await redeem({ testApp }, await accept(browser, address, 'once'))
  t.equal(first.status, 200)
  t.same([first.body.refresh_token, first.body.scope], [undefined, 'User.Read'])
  t.ok(endOf(first.body.access_token) <= testApp.clock.nowMs + hourMs)
  const apps = await browser.get('/account/apps')
  t.match(apps.body, `own-${testApp.registration.applicationId}`, 'it can be withdrawn while it lasts')
  const again = await browser.open(address)
  t.match(again.path, /^\/consent\?/, 'nothing is remembered')
  t.match(textOf(again, 'permissions'), /Allowed already/)
  const late = await accept(browser, address, 'once')
  testApp.clock.nowMs += 3 * hourMs
  t.equal((await redeem({ testApp }, late)).status, 400)
  t.notMatch(
    (await (await testApp.signedIn()).get('/account/apps')).body,
    `own-${testApp.registration.applicationId}`,
    'it is over',
  )
  await sweepDead({ store: testApp.store, now: () => testApp.clock.nowMs + dayMs, sessionIdleMs: dayMs })
  t.same(await testApp.store.reader.selectFrom('user_consents').selectAll().execute(), [])
})

t.test('a day: remembered for it, and no token lives beyond it', async (t) => {
  const { testApp, browser, address } = await open(t)
  const end = testApp.clock.nowMs + dayMs
  const first = await redeem({ testApp }, await accept(browser, address, 'day'))
  let refreshed = await first.refresh(first.body.refresh_token)
  t.equal(refreshed.statusCode, 200)
  testApp.clock.nowMs += 12 * hourMs
  const silent = await (await testApp.signedIn()).get(address)
  t.equal(silent.status, 302, 'remembered')
  testApp.clock.nowMs = end - 600_000
  refreshed = await first.refresh(refreshed.json().refresh_token)
  t.equal(refreshed.statusCode, 200)
  t.equal(endOf(refreshed.json().access_token), end, 'cut to the end of the day')
  testApp.clock.nowMs = end
  const after = await first.refresh(refreshed.json().refresh_token)
  t.match([after.statusCode, after.json().error], [400, 'invalid_grant'])
  t.match((await (await testApp.signedIn()).open(address)).path, /^\/consent\?/, 'and the person is prompted again')
})

t.test('a request that is remembered ends with what is remembered; a longer choice takes its place', async (t) => {
  const { testApp, browser, address } = await open(t)
  const end = testApp.clock.nowMs + dayMs
  await redeem({ testApp }, await accept(browser, address, 'day'))
  testApp.clock.nowMs = end - 600_000
  const fresh = await testApp.signedIn()
  const silent = await fresh.get(address)
  const second = await redeem({ testApp }, silent)
  t.equal(endOf(second.body.access_token), end)
  const again = await fresh.open(testApp.address({ scope, ...challenge, prompt: 'consent' }))
  const longer = await redeem({ testApp }, await fresh.submit(again, 'consent', { decision: 'accept', lasts: 'until' }))
  testApp.clock.nowMs = end + hourMs
  t.equal((await longer.refresh(longer.body.refresh_token)).statusCode, 200)
})

t.test('a shorter choice bounds what it is made for, and leaves what was allowed before', async (t) => {
  const { testApp, browser, address } = await open(t)
  const lasting = await redeem({ testApp }, await accept(browser, address))
  const page = await browser.open(testApp.address({ scope, ...challenge, prompt: 'consent' }))
  const brief = await redeem({ testApp }, await browser.submit(page, 'consent', { decision: 'accept', lasts: 'day' }))
  testApp.clock.nowMs += dayMs + 1
  t.equal((await brief.refresh(brief.body.refresh_token)).statusCode, 400)
  t.equal((await lasting.refresh(lasting.body.refresh_token)).statusCode, 200)
})

t.test('Apps with access: the tools of an agent, which of them are called, and when it ends', async (t) => {
  const { testApp, browser, address } = await open(t)
  const { tenantId, store, registration } = testApp
  const { applicationId } = registration
  await redeem({ testApp }, await accept(browser, address, 'day'))
  const day = Math.floor(testApp.clock.nowMs / dayMs)
  const none = { not_permitted: 0, limited: 0, token_refused: 0, client_errors: 0, server_errors: 0 }
  const used = { application_id: applicationId, tenant_id: tenantId, allowed: 3, ...none }
  await store.transaction(async (tx) => {
    await tx
      .insertInto('route_usage')
      .values([
        { ...used, day: day - 2, route: `${route} tools/call:find` },
        { ...used, day: day - 40, route: `${route} tools/call:close` },
        { ...used, day, route: `${route} tools/call:secret`, tenant_id: 'another' },
      ])
      .execute()
  })
  await changeToolRules(testApp.writes, tenantId, [{ route, tool: 'secret', rule: 'never' }])
  const page = await browser.get('/account/apps')
  const id = `own-${applicationId}-${tenantId}`
  t.match(
    textOf(page, `tools-${id}`),
    /2 tools.*find.*Last called in your organisation on \d+ \w+ \d{4}\W*close.*Not called/s,
  )
  t.notMatch(textOf(page, `tools-${id}`), 'secret')
  t.match(textOf(page, `ends-${id}`), /Ends by itself on/)
  const { testApp: other, browser: elsewhere } = await open(t, [])
  await other.consent()
  t.notMatch((await elsewhere.get('/account/apps')).body, /id="tools-|id="ends-/, 'of what is no agent, nothing')
})
