// The page on which a person approves a single call of an agent: what it shows, who may decide, and that nobody else
// learns of it.

import t from 'tap'
import { createCallApprovals } from '../../../src/approvals/call-approvals.js'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { withdrawUserConsent } from '../../../src/directory/consents/withdrawal.js'
import { visibleJson, visibleText } from '../../../src/identity/approvals/visible-json.js'
import { createGrant } from '../../../src/identity/token/grants/new-grant.js'
import { createSession } from '../../../src/users/sessions/sessions.js'
import { createFormBrowser } from '../../support/browser/form-browser.js'
import { consentTo, makePerson } from '../../support/rooms/delegation.js'
import { baseUrl, ownResource } from '../../support/rooms/directory.js'
import { openIdentity } from '../../support/rooms/identity.js'

const from = { requestId: 'r1', address: '192.0.2.1' }
const form = 'approval-form'

async function open(t: Parameters<typeof openIdentity>[0]) {
  const app = await openIdentity(t)
  const { deps } = app
  const { registration, tenantId } = await app.registerDemo({ name: 'Desk agent', publisher: 'Contoso' })
  const user = await makePerson(deps, tenantId)
  const { applicationId } = registration
  const whose = { userId: user.userId, applicationId, tenantId }
  await consentTo(deps, { ...whose, permissions: ['User.Read'] })
  const grant = async () =>
    deps.store.transaction((tx) =>
      createGrant(deps, tx, {
        ...{ origin: 'code' as const, resource: ownResource, permissions: ['User.Read'], openidScopes: [] },
        ...{ ...whose, nonce: undefined, claims: undefined },
        session: { authTime: Math.floor(app.now() / 1000), acr: '1', amr: ['pwd'] },
      }),
    )
  const grantId = await grant()
  const approvals = createCallApprovals({ ...deps, count: () => {} })
  const call = (given: unknown = { id: 'T1' }, target?: string) =>
    approvals.request(
      {
        ...{ ...whose, grantId, resource: ownResource, operation: '/desk/mcp tools/call:close_ticket' },
        ...{ tool: 'close_ticket', arguments: JSON.stringify(given), target },
      },
      from,
    )
  const waiting = async (given?: unknown, target?: string) => {
    const answer = await call(given, target)
    if (answer.kind !== 'waiting') throw new Error(answer.kind)
    return `/account/approvals/${answer.id}`
  }
  const browse = () =>
    createFormBrowser(baseUrl, async ({ method, url, headers, payload }) => {
      const answer = await app.ask({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
      return { status: answer.statusCode, headers: answer.headers as Record<string, string>, body: answer.body }
    })
  const signIn = async (userId = user.userId) => {
    const browser = browse()
    const details = { userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1' }
    const { cookie } = await createSession(deps.users, details)
    browser.cookies.set('__Host-portcullis-session', cookie)
    return browser
  }
  return { ...app, registration, tenantId, user, call, waiting, browse, signIn }
}

t.test('it shows who wants to call what with what, and allows that once', async (t) => {
  const { waiting, call, signIn, store, metrics } = await open(t)
  const path = await waiting({ id: 'T1', note: '<b>"done"</b>' })
  const browser = await signIn()
  const page = await browser.open(path)
  t.equal(page.title, 'Approve this call?')
  t.match(page.body, /id="application-name">.*Desk agent/s)
  t.match(page.body, /id="tool".*close_ticket/s)
  t.match(page.body, `<code>${ownResource}</code>`)
  t.match(page.body, '&lt;b>\\&quot;done\\&quot;&lt;/b>')
  t.match(page.body, 'within 5 minutes')
  const done = await browser.submit({}, { form, button: 'allow' })
  t.equal(done.title, 'Call allowed')
  t.equal((await call({ id: 'T1', note: '<b>"done"</b>' })).kind, 'used')
  t.equal((await browser.open(path)).title, 'Call made')
  t.equal((await call({ id: 'T1', note: '<b>"done"</b>' })).kind, 'waiting', 'once')
  const rows = await store.reader.selectFrom('ledger').select('event').orderBy('position').execute()
  const events = rows.filter(({ event }) => event.startsWith('approval.')).map(({ event }) => event)
  t.same(events, ['approval.requested', 'approval.allowed', 'approval.used', 'approval.requested'])
  const { values } = await metrics.mcpApprovals.get()
  t.equal(values.find(({ labels }) => labels.outcome === 'allowed')?.value, 1)
})

t.test('a call to another address than the one that people know shows where it goes', async (t) => {
  const { waiting, signIn } = await open(t)
  const path = await waiting({ id: 'T1' }, '/desk/two/mcp?as=admin&b=<i>')
  const { body } = await (await signIn()).open(path)
  t.match(body, `<code>${baseUrl}/desk/two/mcp?as=admin&amp;b=&lt;i></code>`)
})

t.test('refused, it stays refused; a second tab and the way back change nothing', async (t) => {
  const { waiting, call, signIn } = await open(t)
  const path = await waiting()
  const [one, two] = [await signIn(), await signIn()]
  await one.open(path)
  await two.open(path)
  t.equal((await one.submit({}, { form, button: 'refuse' })).title, 'Call refused')
  t.equal((await two.submit({}, { form, button: 'allow' })).title, 'Call refused', 'the other tab came too late')
  t.equal((await call()).kind, 'refused')
})

t.test('without scripts: a plain form decides, and one that says neither changes nothing', async (t) => {
  const { waiting, call, signIn } = await open(t)
  for (const [button, title, kind] of [
    ['allow', 'Call allowed', 'used'],
    ['refuse', 'Call refused', 'refused'],
  ] as const) {
    const given = { id: button }
    const path = await waiting(given)
    const browser = await signIn()
    const { body } = await browser.open(path)
    const [, whole = ''] = /(<form\b[^>]*id="approval-form".*?<\/form>)/s.exec(body) ?? []
    t.match(whole, /^<form\b[^>]*method="post"[^>]*>/)
    t.match(whole, `action="${path}"`)
    t.match(whole, new RegExp(`<button[^>]*name="decision"[^>]*value="${button}"`))
    t.notMatch(whole, /<script|\son[a-z]+=|type="button"|\sdisabled|\shidden/)
    t.equal((await browser.submit({}, { form })).title, 'Approve this call?', 'no button was pressed')
    t.equal((await browser.submit({ decision: 'maybe' }, { form })).title, 'Approve this call?')
    const done = await browser.submit({}, { form, button })
    t.equal(done.title, title)
    t.equal(done.url, path, 'by a redirect: loading it again sends nothing')
    t.equal((await call(given)).kind, kind)
  }
})

t.test('G8 nobody else sees or decides it, and an address that never was reads the same', async (t) => {
  const { waiting, call, signIn, browse, deps, tenantId, ask } = await open(t)
  const path = await waiting({ secret: 'hunter2' })
  const other = await signIn((await makePerson(deps, tenantId, { role: 'owner', name: 'Bert' })).userId)
  const theirs = await other.open(path)
  const nobody = await other.open('/account/approvals/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')
  t.same([theirs.status, nobody.status], [404, 404])
  const plain = (body: string) => body.replaceAll(/approvals\/[\w-]+|[\w-]{20,}/g, '')
  t.equal(plain(theirs.body), plain(nobody.body))
  t.notMatch(theirs.body, /hunter2|close_ticket|Desk agent/)
  t.equal((await browse().open(path)).title, 'Sign in')
  // A form of another person, without a form, from elsewhere, and with a token of a client.
  const own = await signIn()
  const page = await own.open(path)
  const token = /name="form_token" value="([^"]+)"|name="csrf" value="([^"]+)"/.exec(page.body)
  const payload = new URLSearchParams({ decision: 'allow', form_token: token?.[1] ?? token?.[2] ?? '' }).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const cookieOf = (browser: typeof own) => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  for (const headers of [
    { ...type, cookie: cookieOf(other) },
    type,
    { ...type, authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.x' },
    { ...type, cookie: cookieOf(own), origin: 'https://evil.test' },
    { ...type, cookie: cookieOf(own), 'sec-fetch-site': 'cross-site' },
  ]) {
    const answer = await ask({ method: 'POST', url: path, headers, payload })
    t.ok([403, 404].includes(answer.statusCode), `${answer.statusCode} ${JSON.stringify(Object.keys(headers))}`)
  }
  const empty = { ...type, cookie: cookieOf(own) }
  t.equal((await ask({ method: 'POST', url: path, headers: empty, payload: 'decision=allow' })).statusCode, 403)
  t.equal((await call({ secret: 'hunter2' })).kind, 'waiting')
  const head = await ask({ method: 'GET', url: path, headers: { cookie: cookieOf(own) } })
  t.match(head.headers['content-security-policy'], /frame-ancestors 'none'/)
  t.match(head.headers['cache-control'], /no-store/)
})

t.test('after signing in one is back at the page', async (t) => {
  const { waiting, browse } = await open(t)
  const path = await waiting()
  const browser = browse()
  const page = await browser.open(path)
  t.match(page.url, /^\/sign-in\?request=/)
})

t.test('what is withdrawn while it waits is said, and is not allowed any more', async (t) => {
  const ways: [string, (app: Awaited<ReturnType<typeof open>>) => Promise<unknown>][] = [
    [
      'the person takes the consent back',
      ({ deps, registration: { applicationId }, tenantId, user: { userId } }) =>
        withdrawUserConsent(deps.users, { applicationId, tenantId, userId }),
    ],
    [
      'the application is disabled',
      ({ writes, registration }) => changeApplication(writes, registration.applicationId, { state: 'disabled' }),
    ],
  ]
  for (const [what, withdraw] of ways) {
    const app = await open(t)
    const path = await app.waiting()
    const browser = await app.signIn()
    t.equal((await browser.open(path)).title, 'Approve this call?')
    await withdraw(app)
    t.equal((await browser.submit({}, { form, button: 'allow' })).title, 'This request has ended', what)
    t.equal((await browser.open(path)).title, 'This request has ended')
  }
})

t.test('it ends by itself, and so does an approval', async (t) => {
  const { waiting, signIn, clock } = await open(t)
  const path = await waiting()
  const browser = await signIn()
  await browser.open(path)
  clock.nowMs += 10 * 60_000
  t.equal((await browser.submit({}, { form, button: 'allow' })).title, 'This request has ended')
  const next = await waiting()
  await browser.open(next)
  await browser.submit({}, { form, button: 'allow' })
  clock.nowMs += 5 * 60_000
  t.equal((await browser.open(next)).title, 'This request has ended')
})

t.test('G9 everything in arguments is seen, and nothing in them changes how the rest reads', (t) => {
  t.equal(visibleJson('{"a":[1,"x"]}'), '{\n  "a": [\n    1,\n    "x"\n  ]\n}')
  const cases = [
    ['\u202eevil', '\\u202eevil'],
    ['a\u200bb', 'a\\u200bb'],
    ['a\u00a0b\u2003c', 'a\\u00a0b\\u2003c'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['a\u0301\u0302\u0303\u0304', 'a\u0301\u0302\\u0303\\u0304'],
    ['Zürich 東京', 'Zürich 東京'],
  ] as const
  for (const [given, wanted] of cases) t.equal(visibleText(given), wanted)
  t.equal(visibleJson(JSON.stringify({ t: 'a\nb\u0007' })), '{\n  "t": "a\\nb\\u0007"\n}')
  t.end()
})
