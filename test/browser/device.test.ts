// The pages for devices and for signing out, in Chromium: a person connects a device from a link, without scripts, and
// every page on the way is looked at as axe looks at it.
// full: a browser and a program
// run: apart

import type { Page } from 'playwright-core'
import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { startWithPeople } from '../support/programs/people-program.js'

t.setTimeout(180_000)

t.test('a person connects a device, denies another, and signs out: keyboard, no scripts, no violations', async (t) => {
  const { program, manage, person, ask } = await startWithPeople(t)
  const { applicationId: client_id } = await manage.createApplication({
    ...{ name: 'Conference room screen', type: 'native', publisher: 'Fabrikam GmbH', verified: true },
    logoutRedirectUris: ['https://app.test/out'],
    permissions: ['User.Read', 'User.ReadWrite'].map((id) => ({ kind: 'delegated' as const, id })),
  })
  const start = async () => {
    const form = { client_id, scope: 'User.Read User.ReadWrite openid profile email offline_access' }
    return JSON.parse((await ask('/api/v2/oauth2/v2.0/devicecode', { form })).body) as Record<string, string>
  }
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: false })
  const page = await context.newPage()
  const problems: string[] = []
  const console = (message: { type(): string; text(): string }) =>
    void (message.type() === 'error' && problems.push(message.text()))
  page.on('console', console)
  const look = async (name: string, where: Page = page) => t.same(await inspect(where, name), [], `axe: ${name}`)
  // axe is a script: the same pages are opened again where scripts may run, with the cookies of this browser.
  const inspect = async (where: Page, name: string) => {
    const seeing = await browser.newContext({ ignoreHTTPSErrors: true, storageState: await context.storageState() })
    const twin = await seeing.newPage()
    await twin.goto(where.url())
    const found = await inspectPage(twin, name)
    await seeing.close()
    return found
  }

  const first = await start()
  await page.goto(String(first['verification_uri_complete']))
  t.equal(await page.inputValue('#user_code'), first['user_code'])
  await look('device-code')
  await page.press('#user_code', 'Enter')
  await page.fill('#email', person.email)
  await page.fill('#password', person.password)
  await page.press('#password', 'Enter')
  t.equal(await page.textContent('h1'), 'Allow this device?')
  await look('device-decision')
  const [allow, deny] = await Promise.all(['#allow', '#deny'].map((id) => page.locator(id).evaluate(weightOf)))
  t.same(allow, deny, 'the two buttons weigh the same')
  await page.click('#allow')
  t.equal(await page.textContent('h1'), 'Device connected')

  await page.goto(`${program.baseUrl}/device`)
  await page.fill('#user_code', 'wrong')
  await page.click('#go-on')
  t.equal(await page.getAttribute('#user_code', 'aria-invalid'), 'true')
  await page.fill('#user_code', String((await start())['user_code']))
  await page.click('#go-on')
  await page.click('#deny')
  t.equal(await page.textContent('h1'), 'Device denied')
  await page.goBack()
  t.equal(await page.textContent('h1'), 'This page has expired', 'the back button')

  await page.goto(`${program.baseUrl}/api/v2/oauth2/v2.0/logout?client_id=${client_id}`)
  t.equal(await page.textContent('h1'), 'Sign out?')
  await look('logout')
  await page.click('#confirm')
  t.equal(await page.textContent('h1'), 'You are signed out')
  await look('signed-out')
  t.same(
    problems.filter((line) => !line.includes('status of 400')),
    [],
    'the console is quiet',
  )
})

/** What makes a button stand out beside another. */
function weightOf(button: unknown): object {
  const { backgroundColor, color, borderColor, fontWeight, fontSize, height } = getComputedStyle(button as Element)
  return { backgroundColor, color, borderColor, fontWeight, fontSize, height }
}
