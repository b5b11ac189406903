// An import in a real browser, with the page's policy as it is: the file, the look, and what was made.
// full: a program and a browser of its own
// run: apart

import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
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
})
