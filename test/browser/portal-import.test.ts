// An import in a real browser, with the page's policy as it is: the file, the look, and what was made.
// full: a program and a browser of its own
// run: apart

import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage, inspectWidths } from '../support/browser/pages.js'
import { ageSessions } from '../support/programs/aged-sessions.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { startProgram } from '../support/programs/program.js'

t.setTimeout(170_000)

t.test('a realm export becomes registrations by a file, a look and a click', async (t) => {
  const program = await startProgram({ cwd: t.testdir() })
  t.teardown(() => program.stop())
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl })).newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto(await plantSetUpLink(program))
  const person = { name: 'Ada', email: 'ada@example.com', password: 'seven unrelated green words' }
  for (const [id, text] of Object.entries(person)) await page.fill(`#${id}`, text)
  await page.click('#create-account')
  await page.waitForSelector('#register')
  await page.goto('/portal/import')
  await page.click('#look')
  await page.waitForSelector('#file-error')
  problems.length = 0
  await page.setInputFiles('#file', join(String(packageRoot()), 'test/cli/samples/keycloak-realm.json'))
  await page.click('#look')
  await page.waitForSelector('#carry-out')
  t.same(await inspectPage(page, 'portal-import-plan'), [])
  await page.click('#import')
  await page.waitForSelector('#secret-1')
  t.same(await inspectPage(page, 'portal-import-done'), [])
  t.match(await page.textContent('#done'), /The import is done/)
  t.same(problems, [], 'nothing against the policy')

  // Forty lines of what is long, all open: no line is wider than its column. Then the sign-in beside the page.
  const client = (at: number) => ({
    client_id: `client-${at}-of-the-payroll-department`,
    client_name: `Payroll ${at}`,
    redirect_uris: [`https://payroll-${at}.departments.example/oauth2/callback/with/a/long/path`, 'https://*.example/'],
    scope: `User.Read https://graph.example/${'very.long.'.repeat(12)}permission`,
    tos_uri: 'https://a.example',
  })
  const buffer = Buffer.from(JSON.stringify(Array.from({ length: 40 }, (_, at) => client(at))))
  await page.goto('/portal/import')
  await page.setInputFiles('#file', { name: 'hydra.json', mimeType: 'application/json', buffer })
  await page.check('#update')
  await page.click('#look')
  await page.waitForSelector('#carry-out')
  await page.evaluate('document.querySelectorAll("#applications details").forEach((one) => { one.open = true })')
  t.same(await inspectWidths(page, 'portal-import-long'), [])
  for (const width of [1440, 900]) {
    await page.setViewportSize({ width, height: 850 })
    const beyond = 'Array.from(document.querySelectorAll(".table"), (one) => one.scrollWidth - one.clientWidth)'
    t.same(await page.evaluate(beyond), [0], `the table at ${width} px`)
  }
  await ageSessions(program)
  await page.click('#import')
  await page.waitForSelector('#held-form')
  t.same(await inspectPage(page, 'portal-held-form'), [])
  const [beside] = await Promise.all([page.context().waitForEvent('page'), page.click('#go-on')])
  await beside.fill('#password', person.password)
  await beside.click('#sign-in')
  await beside.waitForSelector('#import-form')
  await page.click('#send')
  await page.waitForSelector('#done')
  t.match(await page.textContent('#counts'), /New\s*40/)
})
