// Signing in, in a real browser: the whole way of the first owner, a passkey, the keyboard alone, without scripts,
// without cookies, and what goes wrong in between. Each page is looked at in light and dark, at 320 px, and by axe.
// run: apart

import { readFileSync } from 'node:fs'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, startProgram } from '../support/programs/program.js'

const email = 'ada@example.com'
const password = 'nine quiet purple lanterns'

let program: Program
let browser: Browser
let totp: TOTP | undefined
let recoveryCodes: string[] = []

t.before(async () => {
  program = await startProgram({ cwd: t.testdir() })
  browser = await startBrowser()
})
t.teardown(async () => {
  await browser?.close()
  await program?.stop()
})

t.test('set-up, sign-out, sign-in, second step, account: the way of the first owner', async (t) => {
  const { page, problems } = await open(t)
  const path = await plantSetUpLink(program)
  await page.goto(path)
  t.same(await inspectPage(page, 'set-up'), [], 'axe')
  await page.fill('#name', 'Ada Lovelace')
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('#password-show')
  t.equal(await page.getAttribute('#password', 'type'), 'text', 'the password can be seen')
  await page.click('#create-account')
  t.equal(new URL(page.url()).pathname, '/portal', 'where there is something to do')
  await page.click('#person')
  t.equal(new URL(page.url()).pathname, '/account')
  t.same(await inspectPage(page, 'account'), [], 'axe')
  await page.goto('/sign-out')
  t.same(await inspectPage(page, 'sign-out'), [], 'axe')
  await page.click('#sign-out-now')
  t.same(await inspectPage(page, 'signed-out'), [], 'axe')
  await page.goto('/account/second-factor')
  t.same(await inspectPage(page, 'sign-in'), [], 'axe')
  await fillIn(page)
  t.equal(new URL(page.url()).pathname, '/account/second-factor', 'back where it was begun')
  t.same(await inspectPage(page, 'second-factor'), [], 'axe')
  totp = new TOTP({ secret: Secret.fromBase32(((await page.textContent('#seed')) ?? '').replaceAll(' ', '')) })
  await page.fill('#code', codeIn(0))
  await page.click('#turn-on')
  t.same(await inspectPage(page, 'recovery-codes'), [], 'axe')
  recoveryCodes = await page.locator('#recovery-codes li').allTextContents()
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('#recovery-codes-download')])
  t.equal(file.suggestedFilename(), 'portcullis-recovery-codes.txt')
  t.equal(readFileSync(await file.path(), 'utf8'), `${recoveryCodes.join('\n')}\n`)
  await page.click('#recovery-codes-copy')
  await page.waitForSelector('.code-buttons [role=status]:not(:empty)')
  await page.goto('/sign-in')
  t.same(await inspectPage(page, 'continue'), [], 'axe')
  t.same(problems, [], 'the console is quiet: nothing is against the policy')
})

t.test('the second step by code, and by recovery code without scripts', async (t) => {
  const { page } = await open(t)
  await page.goto('/sign-in')
  await fillIn(page)
  t.equal(new URL(page.url()).pathname, '/sign-in/second-factor')
  t.same(await inspectPage(page, 'second-step'), [], 'axe')
  // Each code is accepted once: this one is the next.
  await page.fill('#code', codeIn(30_000))
  await page.click('#confirm-code')
  t.equal(new URL(page.url()).pathname, '/account')
  const plain = await open(t, { javaScriptEnabled: false })
  await plain.page.goto('/sign-in')
  t.equal(await plain.page.locator('#use-passkey').isVisible(), false, 'no button that does nothing')
  t.equal(await plain.page.locator('#password-show').count(), 0)
  await fillIn(plain.page)
  await useRecoveryCode(plain.page)
  t.equal(new URL(plain.page.url()).pathname, '/account')
  await plain.page.click('#sessions-link')
  t.match(await plain.page.textContent('#sessions'), /this browser/)
})

t.test('a passkey is made and used, without typing anything', async (t) => {
  const { page, context } = await open(t)
  await virtualAuthenticator(context, page)
  await signIn(page)
  await page.goto('/account/passkeys')
  await page.fill('#name', 'Phone')
  await page.click('#add-passkey')
  await page.waitForURL(/done=passkey$/)
  t.match(await page.textContent('#passkeys'), /Phone/)
  t.same(await inspectPage(page, 'passkeys'), [], 'axe')
  await page.goto('/sign-out')
  await page.click('#sign-out-now')
  await page.goto('/sign-in')
  await page.waitForURL(/\/account$/)
  t.match(await page.textContent('#person'), /Ada/, 'offered in the address field: conditional UI')
  await page.goto('/sign-out')
  await page.click('#sign-out-now')
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await page.goto('/sign-in')
  await page.click('#use-passkey')
  await page.waitForURL(/\/account$/)
  t.match(await page.textContent('#person'), /Ada/, 'by its button')
})

t.test('by keyboard alone, with the focus always to be seen', async (t) => {
  const { page } = await open(t)
  await page.goto('/reset-password')
  for (const expected of ['skip', 'brand', 'back']) {
    await page.keyboard.press('Tab')
    t.equal(await focused(page), expected)
  }
  await page.goto('/sign-in')
  t.equal(await soonFocused(page, 'email'), 'email')
  for (const expected of ['password', 'password-show', 'sign-in', 'use-passkey', 'reset-password']) {
    await page.keyboard.press('Tab')
    t.equal(await focused(page), expected)
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')
    t.equal(outline, '3px', `${expected} shows its focus`)
  }
  await page.focus('#email')
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  t.equal(await page.getAttribute('#problem', 'role'), 'alert')
  t.same(await inspectPage(page, 'sign-in-wrong'), [], 'axe')
  t.equal(await soonFocused(page, 'password'), 'password', 'where it has to be typed again')
})

t.test('enlarged to 200 percent nothing is cut off', async (t) => {
  const { page } = await open(t, { viewport: { width: 640, height: 400 } })
  for (const path of ['/sign-in', '/reset-password', '/set-up/nothing']) {
    await page.goto(path)
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path)
  }
  t.same(await inspectPage(page, 'link-gone'), [], 'axe')
  await page.goto('/reset-password')
  t.same(await inspectPage(page, 'reset-password'), [], 'axe')
})

t.test(
  'cookies blocked, the back button, two tabs, a session that ends in the middle: each a page that helps',
  async (t) => {
    const blocked = await open(t)
    await blocked.page.goto('/sign-in')
    await blocked.context.clearCookies()
    await fillIn(blocked.page)
    t.equal(await blocked.page.textContent('h1'), 'Cookies are blocked')
    t.same(await inspectPage(blocked.page, 'cookies-blocked'), [], 'axe')
    await blocked.page.click('#go-on')
    t.equal(await blocked.page.textContent('h1'), 'Sign in')

    const { page, context } = await open(t)
    await page.goto('/sign-in')
    const tab = await context.newPage()
    await tab.goto('/sign-in')
    await signIn(page)
    await tab.fill('#email', email)
    await tab.fill('#password', password)
    await tab.click('#sign-in')
    t.equal(await tab.textContent('h1'), 'This form has expired', 'the other tab')
    t.same(await inspectPage(tab, 'form-out-of-date'), [], 'axe')
    await tab.click('#go-on')
    t.equal(await tab.textContent('h1'), 'Choose an account')

    await tab.goto('/account/details')
    await page.goto('/sign-out')
    await page.click('#sign-out-now')
    await tab.fill('#name', 'Somebody Else')
    await tab.click('#save')
    t.equal(await tab.textContent('h1'), 'You are signed out')
    t.same(await inspectPage(tab, 'session-ended'), [], 'axe')
    await tab.click('#go-on')
    t.equal(await tab.textContent('h1'), 'Sign in')
    await tab.goBack()
    await tab.goBack()
    t.notMatch(await tab.textContent('body'), /Somebody Else/, 'the back button shows nothing that was not saved')
  },
)

t.test('a slow network and an impatient double click: one sign-in goes on', async (t) => {
  const { page, context } = await open(t)
  await page.goto('/sign-in')
  const network = await context.newCDPSession(page)
  const slow = { offline: false, latency: 700, downloadThroughput: 50_000, uploadThroughput: 50_000 }
  await network.send('Network.emulateNetworkConditions', slow)
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.dblclick('#sign-in')
  await page.waitForURL(/second-factor/)
  await useRecoveryCode(page)
  await page.waitForURL(/\/account$/)
  t.equal(await page.textContent('h1'), 'Your account')
})

interface Opened {
  context: BrowserContext
  page: Page
  /** What the console complained about. */
  problems: string[]
}

async function open(
  t: { teardown(work: () => unknown): void },
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Opened> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl, ...options })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
  return { context, page, problems }
}

async function fillIn(page: Page): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('#sign-in')
}

/** With the second step, by a recovery code: there are more of them than time has codes. */
async function signIn(page: Page): Promise<void> {
  await page.goto('/sign-in')
  await fillIn(page)
  await useRecoveryCode(page)
}

async function useRecoveryCode(page: Page): Promise<void> {
  await page.click('#use-recovery-code')
  await page.fill('#recovery_code', recoveryCodes.pop() ?? '')
  await page.click('#confirm-recovery-code')
}

function codeIn(ms: number): string {
  if (totp === undefined) throw new Error('there is no seed')
  return totp.generate({ timestamp: Date.now() + ms })
}

async function focused(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.id')
}

/**
 * What has the focus once `expected` has it: a page gives it away with its first picture, which may come after it was
 * loaded.
 */
async function soonFocused(page: Page, expected: string): Promise<unknown> {
  await page.waitForFunction(`document.activeElement.id === '${expected}'`).catch(() => undefined)
  return focused(page)
}

async function virtualAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
