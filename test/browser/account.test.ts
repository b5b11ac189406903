// The account page in a real browser: every page below it looked at, and what one change does to another browser.
// full: a browser and a program
// run: apart

import type { Browser, BrowserContext } from 'playwright-core'
import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { plantLink, plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, startProgram } from '../support/programs/program.js'

const email = 'ada@example.com'
const password = 'nine quiet purple lanterns'
const newPassword = 'seven loud orange kettles'

let program: Program
let browser: Browser
let ada: BrowserContext

t.before(async () => {
  program = await startProgram({ cwd: t.testdir() })
  browser = await startBrowser()
  ada = await context()
  const page = await ada.newPage()
  await page.goto(await plantSetUpLink(program))
  await page.fill('#name', 'Ada Lovelace')
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('#create-account')
})
t.teardown(async () => {
  await browser?.close()
  await program?.stop()
})

t.test('each page of the account: no violation, nothing cut off, nothing against the policy', async (t) => {
  const page = await ada.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  for (const name of ['details', 'password', 'passkeys', 'sessions', 'delete']) {
    await page.goto(`/account/${name}`)
    t.same(await inspectPage(page, `account-${name}`), [], name)
  }
  t.same(problems, [])
})

t.test('C14 a new password here signs the other browser out', async (t) => {
  const other = await context()
  t.teardown(() => other.close())
  const elsewhere = await other.newPage()
  await elsewhere.goto('/account')
  await elsewhere.fill('#email', email)
  await elsewhere.fill('#password', password)
  await elsewhere.click('#sign-in')
  t.equal(await elsewhere.textContent('h1'), 'Your account')
  const page = await ada.newPage()
  await page.goto('/account/sessions')
  t.equal(await page.locator('#sessions li').count(), 2)
  await page.goto('/account/password')
  await page.fill('#current', password)
  await page.fill('#password', 'short')
  await page.evaluate("document.querySelector('#password').removeAttribute('minlength')")
  await page.click('#change-password')
  t.match(await page.textContent('#password-error'), /at least 12/)
  t.same(await inspectPage(page, 'account-password-wrong'), [], 'axe')
  await page.fill('#current', password)
  await page.fill('#password', newPassword)
  await page.click('#change-password')
  t.match(await page.textContent('#done'), /password is changed/)
  t.same(await inspectPage(page, 'account-done'), [], 'axe')
  await elsewhere.reload()
  t.equal(await elsewhere.textContent('h1'), 'Sign in')
})

t.test('an invitation is accepted, and a link to a new password is used', async (t) => {
  const invited = await context()
  t.teardown(() => invited.close())
  const page = await invited.newPage()
  await page.goto(await plantLink(program, { purpose: 'invitation', email: 'bob@example.com', role: 'developer' }))
  t.same(await inspectPage(page, 'invitation'), [], 'axe')
  await page.fill('#name', 'Bob')
  await page.fill('#password', password)
  await page.click('#accept')
  t.match(page.url(), /\/portal$/, 'a developer came for the portal')
  await page.goto('/account')
  t.match(await page.textContent('main'), /developer/)
  await page.goto(await plantLink(program, { purpose: 'password-reset', forEmail: 'bob@example.com' }))
  t.same(await inspectPage(page, 'new-password'), [], 'axe')
  await page.fill('#password', newPassword)
  await page.click('#set-password')
  t.same(await inspectPage(page, 'password-set'), [], 'axe')
  await page.click('#sign-in-now')
  t.equal(await page.textContent('h1'), 'Sign in')
})

t.test('the account is deleted by typing its address', async (t) => {
  const bob = await context()
  t.teardown(() => bob.close())
  const page = await bob.newPage()
  await page.goto('/account/delete')
  await page.fill('#email', 'bob@example.com')
  await page.fill('#password', newPassword)
  await page.click('#sign-in')
  await page.fill('#confirm', 'no')
  await page.click('#delete')
  t.match(await page.textContent('#confirm-error'), /not what stands above/)
  await page.fill('#confirm', 'bob@example.com')
  await page.click('#delete')
  t.equal(await page.textContent('h1'), 'You are signed out')
})

function context(): Promise<BrowserContext> {
  return browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl })
}
