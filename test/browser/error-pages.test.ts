// The pages that anybody may read, in a real browser: explanations of refusals, and the API reference. Readable, quiet
// under their policy, at 320 px, light and dark.
// full: a browser and a program
// run: apart

import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage, takePicture } from '../support/browser/pages.js'
import { call, tokenRequest } from '../support/programs/demo.js'
import { startProgram } from '../support/programs/program.js'

t.setTimeout(120_000)
const program = await startProgram({ cwd: t.testdir() })
t.teardown(() => program.stop())
const browser = await startBrowser()
t.teardown(() => browser.close())

t.test('a developer follows error_uri from a refused token request to a page that says how to fix it', async (t) => {
  const refused = await tokenRequest(program, { grant_type: 'password', client_id: 'x' })
  const { error_uri: uri } = JSON.parse(refused.body) as { error_uri: string }
  t.ok(uri.startsWith(`${program.baseUrl}/errors/`))
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      colorScheme,
      viewport: { width: 320, height: 700 },
    })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    const answer = await page.goto(uri)
    t.equal(answer?.status(), 200)
    t.match(answer?.headers()['content-security-policy'], /default-src 'none'/)
    t.ok(((await page.locator('h1').textContent()) ?? '').length > 5, 'a heading')
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= 320'), true, 'no sideways scrolling at 320 px')
    t.equal(await page.evaluate('document.documentElement.lang'), 'en')
    t.same(problems, [], 'the console is quiet')
    await takePicture(page, `error-${colorScheme}-320`)
    await page.setViewportSize({ width: 1200, height: 800 })
    await takePicture(page, `error-${colorScheme}`)
    await context.close()
  }
})

t.test('a number that nobody knows has a page too, with 404', async (t) => {
  const answer = await call(program, '/errors/123456789')
  t.equal(answer.status, 404)
  t.match(answer.headers['content-type'], /^text\/html/)
})

t.test(
  'the API reference needs no scripts and no sign-in; what it says opens, and is found by the browser',
  async (t) => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: false })
    const still = await context.newPage()
    const answer = await still.goto(`${program.baseUrl}/portal/reference`)
    t.equal(answer?.status(), 200)
    t.ok((await still.locator('details.operation').count()) > 80, 'every operation that is not a page')
    const create = still.locator('#createApplication')
    await create.locator('summary').click()
    t.match(await create.locator('pre').allTextContents(), [/name: string/])
    t.match(await create.locator('#curl-createApplication').textContent(), `"${program.baseUrl}/api/v2/applications"`)
    await context.close()

    const scripted = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await scripted.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    await page.goto(`${program.baseUrl}/portal/reference`)
    for (const id of ['requestToken', 'createApplication', 'listSubscriptions']) {
      await page.locator(`#${id} summary`).first().click()
    }
    t.same(await inspectPage(page, 'api-reference'), [])
    t.same(problems, [], 'the console is quiet')
    await scripted.close()
  },
)
