// The authorization endpoint in a real browser: answers that arrive through the pages' own policy, by redirect and as a
// form, with and without scripts; the pages that this endpoint has of its own; two tabs, the back button, blocked
// cookies.
// full: a browser and a program, half a minute
// run: apart

import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { managementCalls } from '../../src/cli/calls/management-calls.js'
import { peopleCalls } from '../../src/cli/calls/people-calls.js'
import { startBrowser, startWithoutCookies } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { startProgram } from '../support/programs/program.js'
import { pkcePair } from '../support/rooms/delegation.js'

t.setTimeout(170_000)
const email = 'mia@contoso.test'
const password = 'seven unrelated green words'
const testApp = await openTestApp(t)

async function openTestApp(t: Test) {
  const program = await startProgram({ cwd: t.testdir() })
  t.teardown(() => program.stop())
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const client = createLocalClient(join(program.folder, 'admin.sock'))
  const [manage, people] = [managementCalls(client), peopleCalls(client)]
  const [tenant] = await manage.listTenants()
  const tenantId = tenant?.tenantId ?? ''
  const person = await people.createUser({ name: 'Mia Member', email, password, tenantId, role: 'member' })
  const permissions = [{ kind: 'delegated' as const, id: 'User.Read' }]
  return {
    ...{ program, tenantId, manage, people, person },
    /** An address of the authorization endpoint for a new application. */
    async address(name: string, redirectUri: string, more: Record<string, string> = {}) {
      const type = more['code_challenge'] === undefined ? 'web' : 'native'
      const made = await manage.createApplication({
        ...{ name, type, tenantId, permissions, audience: 'any' },
        redirectUris: [redirectUri],
      })
      const query = { client_id: made.applicationId, redirect_uri: redirectUri, response_type: 'code', ...more }
      return `${program.baseUrl}/api/v2/oauth2/v2.0/authorize?${new URLSearchParams(query)}`
    },
    openPage: async (options: BrowserContextOptions = {}) =>
      (await browser.newContext({ ignoreHTTPSErrors: true, ...options })).newPage(),
  }
}

async function signIn(page: Page): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('#sign-in')
}

/** An application on loopback: what browsers brought there, by method. */
async function listen(t: Test, host = '127.0.0.1') {
  const brought: { method: string; fields: URLSearchParams }[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/back') {
      const method = request.method ?? ''
      brought.push({
        method,
        fields: method === 'POST' ? new URLSearchParams(await textOf(request)) : url.searchParams,
      })
    }
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>The application</title><h1 id="here">Here</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { uri: `http://${host.includes(':') ? `[${host}]` : 'localhost'}:${port}/back`, brought }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

t.test('R16 C4 form_post: the form is posted by itself, and by its button where there are no scripts', async (t) => {
  const { uri, brought } = await listen(t)
  const address = await testApp.address('Form Post', uri, { response_mode: 'form_post', state: 's "><' })
  const page = await testApp.openPage()
  await page.goto(address)
  await signIn(page)
  await page.click('#accept')
  await page.waitForSelector('#here')
  t.equal(brought[0]?.method, 'POST')
  t.match(brought[0]?.fields.get('code'), /^pcl_ac_/)
  t.equal(brought[0]?.fields.get('state'), 's "><')
  t.equal(brought[0]?.fields.get('iss'), testApp.program.baseUrl)
  t.notMatch(page.url(), /pcl_ac_/, 'the code is in no address')

  const plain = await testApp.openPage({ javaScriptEnabled: false })
  await plain.goto(address)
  await signIn(plain)
  await plain.waitForSelector('#go-on')
  t.equal(brought.length, 1)
  await plain.click('#go-on')
  await plain.waitForSelector('#here')
  t.equal(brought.length, 2)
})

t.test('R16 the page of form_post, as it is when its script does not come', async (t) => {
  const { uri, brought } = await listen(t)
  const page = await testApp.openPage()
  await page.goto(await testApp.address('Form Post', uri, { response_mode: 'form_post' }))
  await signIn(page)
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.click('#accept')
  await page.waitForSelector('#go-on')
  t.same(await inspectPage(page, 'form-post'), [])
  t.same(brought, [])
})

t.test('C4 a native client on [::1] gets its code after the forms, under the policy', async (t) => {
  const { uri, brought } = await listen(t, '::1')
  const { challenge } = pkcePair()
  const page = await testApp.openPage()
  await page.goto(await testApp.address('Six', uri, { code_challenge: challenge, code_challenge_method: 'S256' }))
  await signIn(page)
  await page.click('#accept')
  await page.waitForSelector('#here')
  t.match(brought[0]?.fields.get('code'), /^pcl_ac_/)
})

t.test('the choice of a tenant: seen by everybody, and the code is for the chosen one', async (t) => {
  const { uri, brought } = await listen(t)
  const page = await testApp.openPage()
  const two = await testApp.manage.createTenant({ name: 'Fabrikam Deutschland Vertriebsgesellschaft mbH' })
  await testApp.manage.changeTenant(two.tenantId, { userConsent: 'allowed' })
  await testApp.people.putMembership(testApp.person.userId, two.tenantId, 'developer')
  await page.goto(await testApp.address('Planner', uri, { state: 'x' }))
  await signIn(page)
  await page.waitForSelector('#choose-tenant')
  t.same(await inspectPage(page, 'choose-tenant'), [])
  await page.keyboard.press('Tab')
  await page.click(`#tenant-${two.tenantId}`)
  await page.waitForSelector('#accept')
  t.match(await page.textContent('#tenant'), /Fabrikam/)
  await page.click('#accept')
  await page.waitForSelector('#here')
  t.equal(brought[0]?.fields.get('state'), 'x')
})

t.test('two tabs, the back button, an old address, blocked cookies: each a page that says what to do', async (t) => {
  const [one, two] = [await listen(t), await listen(t)]
  const first = await testApp.openPage()
  await first.goto(await testApp.address('One', one.uri, { requested_enrollment: testApp.tenantId }))
  await signIn(first)
  await first.waitForSelector('#accept')
  const second = await first.context().newPage()
  await second.goto(await testApp.address('Two', two.uri, { requested_enrollment: testApp.tenantId }))
  await second.waitForSelector('#accept')
  const consentUrl = first.url()
  await first.click('#accept')
  await first.waitForSelector('#here')
  t.equal(one.brought.length, 1, "R18 the first tab's code")
  t.equal(two.brought.length, 0)
  await first.goBack()
  await first.goto(consentUrl)
  t.match(await first.textContent('h1'), /has expired/)
  t.match(await first.textContent('#remedy'), /go back to the application/)
  t.same(await inspectPage(first, 'request-over'), [])
  await second.click('#accept')
  await second.waitForSelector('#here')
  t.equal(two.brought.length, 1, 'and the second one its own')

  const untrusted = await testApp.openPage()
  await untrusted.goto(consentUrl.replace('/consent?request=', '/api/v2/oauth2/v2.0/authorize/resume/'))
  t.match(await untrusted.textContent('h1'), /Cookies/)
  t.same(await inspectPage(untrusted, 'request-no-cookie'), [])
})

t.test('a browser in which cookies are blocked: at once a page that says what to do', async (t) => {
  const { uri, brought } = await listen(t)
  const context = await startWithoutCookies(t.testdir())
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(await testApp.address('Blocked', uri))
  t.equal(await page.textContent('h1'), 'Cookies are blocked', 'before anybody has typed anything')
  t.match(await page.textContent('#remedy'), /Allow cookies .* open the page again/)
  await page.goto(`${testApp.program.baseUrl}/sign-in`)
  await signIn(page)
  t.equal(await page.textContent('h1'), 'Cookies are blocked')
  t.match(await page.textContent('#remedy'), /Allow cookies .* open the page again/)
  await page.click('#go-on')
  t.equal(await page.textContent('h1'), 'Sign in')
  t.same([await context.cookies(), brought], [[], []])
})

t.test('R5 a redirect URI that is not registered: a page without a way on', async (t) => {
  const page = await testApp.openPage()
  const address = new URL(await testApp.address('Wrong', 'https://client.test/back'))
  address.searchParams.set('redirect_uri', 'https://client.test/bakc')
  await page.goto(address.href)
  t.match(await page.textContent('#what'), /50011/)
  t.same(await inspectPage(page, 'redirect-uri'), [])
})
