// What gets in between. An impatient double click, a slow network, an answer that never arrives, a session that
// ends, cookies that are gone, the back button: each leads on, or to a page that says what to do.
// full: a browser, a program and a slow network
// run: apart

import { createServer } from 'node:http'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { managementCalls } from '../../src/cli/calls/management-calls.js'
import { peopleCalls } from '../../src/cli/calls/people-calls.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { call, tokenRequest } from '../support/programs/demo.js'
import { startProgram } from '../support/programs/program.js'

t.setTimeout(170_000)
const email = 'mia@contoso.test'
const password = 'seven unrelated green words'
const slow = { offline: false, latency: 400, downloadThroughput: 40_000, uploadThroughput: 40_000 }
const fast = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
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
  await people.createUser({ name: 'Mia Member', email, password, tenantId, role: 'administrator' })
  const permissions = [{ kind: 'delegated' as const, id: 'User.Read' }]
  const { uri, brought } = await listen(t)
  const register = (name: string) =>
    manage.createApplication({
      ...{ name, type: 'web', tenantId, permissions, redirectUris: [uri], adminConsentRedirectUris: [uri] },
    })
  return {
    ...{ program, manage, people, uri, register },
    /** The consent page of a new application, for somebody who has just signed in. */
    async consentPage(name: string, options: BrowserContextOptions = {}): Promise<Page> {
      const { applicationId } = await register(name)
      const page = await (await browser.newContext({ ignoreHTTPSErrors: true, ...options })).newPage()
      const query = { client_id: applicationId, redirect_uri: uri, response_type: 'code', state: name }
      await page.goto(`${program.baseUrl}/api/v2/oauth2/v2.0/authorize?${new URLSearchParams(query)}`)
      await signIn(page)
      await page.waitForSelector('#accept')
      return page
    },
    openPage: async (path: string): Promise<Page> => {
      const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
      await page.goto(program.baseUrl + path)
      return page
    },
    /** How many codes, or answers, came for this state. */
    came: (state: string) => brought.filter((query) => query.get('state') === state),
  }
}

/** An application on loopback; what browsers brought there. */
async function listen(t: Test) {
  const brought: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/back') brought.push(url.searchParams)
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>The application</title><h1 id="here">Here</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { uri: `http://localhost:${port}/back`, brought }
}

async function signIn(page: Page): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('#sign-in')
}

async function network(page: Page, conditions: typeof slow): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', conditions)
}

/** The next such request arrives and its answer does not. */
async function loseAnswer(context: BrowserContext, method: string, to: RegExp): Promise<void> {
  let isLost = false
  await context.route(to, async (route) => {
    const request = route.request()
    if (isLost || request.method() !== method) return route.fallback()
    isLost = true
    // Sent as the browser would have; what comes back is thrown away.
    const { pathname, search } = new URL(request.url())
    const { cookie = '', 'content-type': type = '' } = await request.allHeaders()
    const headers = { cookie, ...(type === '' ? {} : { 'content-type': type }) }
    await call(testApp.program, pathname + search, { method, headers, body: request.postData() ?? '' })
    return route.abort('connectionreset')
  })
}

/** Waits for the browser's own page about an answer that did not come. */
async function noAnswer(page: Page, work: Promise<unknown>): Promise<void> {
  await work.catch(() => {})
  await page.waitForSelector('#main-message')
}

/** Two clicks as people make them. */
async function clickTwice(page: Page, selector: string): Promise<void> {
  await page.locator(selector).scrollIntoViewIfNeeded()
  const box = await page.locator(selector).boundingBox()
  const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5]
  await page.mouse.click(x, y)
  await page.waitForTimeout(80)
  await page.mouse.click(x, y)
}

const networks = [
  ['quick', fast],
  ['slow', slow],
] as const

/** Counts the forms that the page sends. */
function countSent(page: Page): () => number {
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') sent += 1
  })
  return () => sent
}

t.test('a double click on Accept, quick and over a slow network: one POST, one code, and one arrival', async (t) => {
  for (const [name, conditions] of networks) {
    const page = await testApp.consentPage(name)
    await network(page, conditions)
    const sent = countSent(page)
    await clickTwice(page, '#accept')
    await page.waitForSelector('#here', { timeout: 60_000 })
    t.equal(sent(), 1, `${name}: the form was sent once`)
    t.match(testApp.came(name)[0]?.get('code'), /^pcl_ac_/, name)
    t.equal(testApp.came(name).length, 1, name)
  }
})

t.test('a double click without scripts: an arrival or a page that says what to do, never two codes', async (t) => {
  for (const [speed, conditions] of networks) {
    const name = `${speed} without scripts`
    const page = await testApp.consentPage(name, { javaScriptEnabled: false })
    await network(page, conditions)
    const sent = countSent(page)
    await clickTwice(page, '#accept')
    await page.waitForSelector('#here, #remedy', { timeout: 60_000 })
    t.comment(`${name}: the form was sent ${sent()} times`)
    const arrived = testApp.came(name).length
    if ((await page.locator('#remedy').count()) > 0)
      t.match(await page.textContent('#remedy'), /go back to the application/)
    else t.equal(arrived, 1, name)
    t.ok(arrived <= 1, `${name}: ${arrived} codes`)
  }
})

t.test('the answer to Accept is lost: the page again goes on to the application', async (t) => {
  const page = await testApp.consentPage('lost')
  const consentUrl = page.url()
  await loseAnswer(page.context(), 'POST', /\/consent\?/)
  await noAnswer(page, page.click('#accept'))
  await page.goto(consentUrl)
  await page.waitForSelector('#here')
  t.equal(testApp.came('lost').length, 1)
})

t.test('the way back to the application is lost: the request is over, and the page says what to do', async (t) => {
  const page = await testApp.consentPage('way')
  const consentUrl = page.url()
  await loseAnswer(page.context(), 'POST', /\/consent\?/)
  await noAnswer(page, page.click('#accept'))
  await loseAnswer(page.context(), 'GET', /\/authorize\/resume\//)
  await noAnswer(page, page.goto(consentUrl.replace('/consent?request=', '/api/v2/oauth2/v2.0/authorize/resume/')))
  await page.goto(consentUrl)
  t.match(await page.textContent('h1'), /has expired/)
  t.match(await page.textContent('#remedy'), /go back to the application/)
  t.same(await inspectPage(page, 'interrupted-over'), [], 'axe')
  t.equal(testApp.came('way').length, 0)
})

t.test('the answer to a password is lost: signing in again goes on', async (t) => {
  const page = await testApp.openPage('/account')
  const consentUrl = page.url()
  await loseAnswer(page.context(), 'POST', /\/sign-in/)
  await noAnswer(page, signIn(page))
  await page.goto(consentUrl)
  await signIn(page)
  await page.waitForURL(/\/account$/)
  t.equal(await page.textContent('h1'), 'Your account')
})

t.test('a session that ends while the consent page is open: sign in, and be prompted again', async (t) => {
  const page = await testApp.consentPage('ended')
  await testApp.people.signOut(email)
  await page.click('#accept')
  await page.waitForSelector('#email')
  t.match(await page.textContent('body'), /ended/, 'for which application')
  t.same(await inspectPage(page, 'interrupted-signed-out'), [], 'axe')
  t.equal(testApp.came('ended').length, 0, 'C2 nothing was granted by somebody who is not signed in')
  await signIn(page)
  await page.click('#accept')
  await page.waitForSelector('#here')
  t.equal(testApp.came('ended').length, 1)
})

t.test('cookies that go while the consent page is open: a page that says so', async (t) => {
  const page = await testApp.consentPage('no cookies')
  await page.context().clearCookies()
  await page.click('#accept')
  t.equal(await page.textContent('h1'), 'Cookies are blocked')
  t.match(await page.textContent('#remedy'), /Allow cookies/)
  t.same(await inspectPage(page, 'interrupted-cookies'), [], 'axe')
  t.equal(testApp.came('no cookies').length, 0)
})

t.test(
  'back from the application, and Accept once more: the request is over, and the page says what to do',
  async (t) => {
    const page = await testApp.consentPage('back')
    await page.click('#accept')
    await page.waitForSelector('#here')
    await page.goBack()
    if ((await page.locator('#accept').count()) > 0) await page.click('#accept')
    t.match(await page.textContent('h1'), /has expired/)
    t.match(await page.textContent('#remedy'), /go back to the application/)
    t.equal(testApp.came('back').length, 1, 'no second code')
  },
)

t.test('a double click on a device’s Allow, on Grant, and on what a link asks: done once, and said so', async (t) => {
  const page = await testApp.openPage('/account')
  await signIn(page)
  await page.waitForURL(/\/account$/)
  const { applicationId, clientSecret = '' } = await testApp.register('double')
  const client = { client_id: applicationId, client_secret: clientSecret }
  const params = { ...client, scope: 'User.Read' }
  const started = JSON.parse((await tokenRequest(testApp.program, params, '/api/v2/oauth2/v2.0/devicecode')).body)
  await page.goto(`${testApp.program.baseUrl}/device?user_code=${started.user_code}`)
  await page.click('#go-on')
  await page.waitForSelector('#allow')
  await network(page, slow)
  await clickTwice(page, '#allow')
  await page.waitForSelector('#decided, #remedy')
  t.match(await page.textContent('main'), /Go back to your device|Check the device/)
  t.same(await inspectPage(page, 'interrupted-device'), [], 'axe')
  const tokens = await tokenRequest(testApp.program, {
    ...{ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: started.device_code, ...client },
  })
  t.equal(tokens.status, 200, 'the device is connected')

  await network(page, fast)
  const query = new URLSearchParams({ client_id: applicationId, redirect_uri: testApp.uri, state: 'grant' })
  await page.goto(`${testApp.program.baseUrl}/api/v2/oauth2/v2.0/adminconsent?${query}`)
  await page.waitForSelector('#grant')
  await network(page, slow)
  await clickTwice(page, '#grant')
  await page.waitForSelector('#here, #remedy')
  if ((await page.locator('#remedy').count()) > 0) t.match(await page.textContent('#remedy'), /application/)
  const { consents } = await testApp.manage.showApplication(applicationId)
  t.equal(consents.length, 1, 'the consent is there')

  const { url = '' } = await testApp.people.resetPassword(email)
  await network(page, fast)
  await page.goto(url)
  await page.fill('#password', 'eleven patient copper kettles')
  await network(page, slow)
  await clickTwice(page, '#set-password')
  await page.waitForSelector('#remedy, #sign-in-now')
  t.match(await page.textContent('main'), /chosen a new password already|Sign in/)
  t.same(await inspectPage(page, 'interrupted-link'), [], 'axe')
})
