// identity L9 in a real browser: an act with weight after an old sign-in, from the form to the sign-in page, the
// confirmation and back; with scripts and the page's policy as they are.
// run: apart

import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { ageSessions } from '../support/programs/aged-sessions.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { startProgram } from '../support/programs/program.js'

const password = 'seven unrelated green words'
const uri = 'https://reports.example/callback'

t.setTimeout(170_000)

t.test('identity L9: what was typed is there after signing in again, and goes when the person says so', async (t) => {
  const program = await startProgram({ cwd: t.testdir() })
  t.teardown(() => program.stop())
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl })).newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto(await plantSetUpLink(program))
  for (const [id, text] of Object.entries({ name: 'Ada', email: 'ada@example.com', password })) {
    await page.fill(`#${id}`, text)
  }
  await page.click('#create-account')
  await page.click('#register')
  await page.click('#kind-server')
  await page.fill('#name', 'Nightly export')
  await page.click('#register')
  await page.click('#to-application')
  await page.click('#tab-redirect-uris')
  const form = page.url()
  await page.fill('#redirectUris', uri)
  await ageSessions(program)
  await page.press('#redirectUris', 'Enter')
  await page.waitForSelector('#sign-in-form')
  t.equal(await page.inputValue('#email'), 'ada@example.com')
  t.notMatch(page.url(), 'reports.example')
  await page.fill('#password', password)
  await page.click('#sign-in')
  await page.waitForSelector('#confirm-form')
  t.match(page.url(), /\/portal\/confirm\?request=/)
  t.match(await page.textContent('#entered'), uri)
  t.same(await inspectPage(page, 'portal-confirm'), [])
  await page.click('#confirm')
  await page.waitForSelector('#redirectUris-list')
  t.match(await page.textContent('#redirectUris-list'), uri)
  t.equal(new URL(page.url()).pathname, new URL(form).pathname, 'back where they were')
  t.same(problems, [], 'nothing against the policy')
})
