// The pages of people in all languages, in a real browser that likes each: set-up, signing in with a second step, the
// account and its language, a device's code, a new password, and what goes wrong. Each page is looked at in light and
// dark, at 320 px, and by axe.
// full: a browser and a program, a minute
// run: apart

import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { type Language, languages } from '../../src/languages/language.js'
import { textsIn } from '../../src/languages/texts.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, startProgram } from '../support/programs/program.js'

const email = 'ada@example.com'
const password = 'nine quiet purple lanterns'

let program: Program
let browser: Browser
/** Each is accepted once. */
let recoveryCodes: string[] = []

t.setTimeout(170_000)
t.before(async () => {
  program = await startProgram({ cwd: t.testdir() })
  browser = await startBrowser()
})
t.teardown(async () => {
  await browser?.close()
  await program?.stop()
})

t.test('the first owner sets up the server in Japanese, and a second step', async (t) => {
  const { page, texts, looks } = await open(t, 'ja')
  await page.goto(await plantSetUpLink(program))
  await looks('set-up', texts.signIn.setUp.title)
  await page.fill('#name', 'Ada Lovelace')
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('#create-account')
  await page.goto('/account/second-factor')
  await looks('second-factor', texts.account.secondFactor.turnOnTitle)
  const totp = new TOTP({ secret: Secret.fromBase32(((await page.textContent('#seed')) ?? '').replaceAll(' ', '')) })
  await page.fill('#code', totp.generate())
  await page.click('#turn-on')
  await looks('recovery-codes', texts.account.secondFactor.isOn)
  recoveryCodes = await page.locator('#recovery-codes li').allTextContents()
})

for (const language of languages) {
  t.test(`${language}: signing in, account, device, new password and a wrong password`, async (t) => {
    const { page, texts, looks } = await open(t, language)
    await page.goto('/reset-password')
    await looks('reset-password', texts.signIn.reset.title)
    await page.goto('/sign-in')
    await looks('sign-in', texts.signIn.title)
    await page.fill('#email', email)
    await page.fill('#password', `${password}!`)
    await page.click('#sign-in')
    t.match(await page.textContent('main'), texts.signIn.wrong)
    await page.fill('#email', email)
    await page.fill('#password', password)
    await page.click('#sign-in')
    await looks('second-step', texts.signIn.secondStep.title)
    await useRecoveryCode(page)
    await looks('account', texts.account.title)
    await page.goto('/device')
    await looks('device', texts.device.title)
  })
}

/** A page of a browser that likes this language, and what is looked at on each of its pages. */
async function open(t: Test, language: Language) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: language, baseURL: program.baseUrl })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const looks = async (name: string, heading: string) => {
    t.equal(await page.textContent('h1'), heading)
    t.equal(await page.getAttribute('html', 'lang'), language)
    t.same(await inspectPage(page, `${name}-${language}`), [], `axe: ${name}`)
  }
  return { page, looks, texts: textsIn(language) }
}

async function useRecoveryCode(page: Page): Promise<void> {
  await page.click('#use-recovery-code')
  await page.fill('#recovery_code', recoveryCodes.pop() ?? '')
  await page.click('#confirm-recovery-code')
}
