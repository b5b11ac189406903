// The ways of a person through consent, a device and their account, in a browser that likes English where a request
// wishes another language: the language stays to the last page, and nothing on them is left in English.
// full: a browser and a program, a minute
// run: apart

import type { Browser } from 'playwright-core'
import t from 'tap'
import { languages } from '../../src/languages/language.js'
import { startBrowser } from '../support/browser/browser.js'
import { isWhollyIn } from '../support/browser/wholly-in-language.js'
import { startWithPeople } from '../support/programs/people-program.js'

t.setTimeout(300_000)

t.test('consent, a device, the account and what goes wrong keep the language that was wished', async (t) => {
  const { program, manage, person, ask } = await startWithPeople(t)
  const permissions = ['User.Read', 'User.ReadWrite'].map((id) => ({ kind: 'delegated' as const, id }))
  const redirect_uri = 'https://app.test/back'
  const web = await manage.createApplication({
    ...{ name: 'Fabrikam', type: 'web', redirectUris: [redirect_uri], requirePkce: false },
    permissions: [...permissions, { kind: 'delegated', id: 'Member.Read.All' }],
  })
  const screen = await manage.createApplication({ name: 'Contoso', type: 'native', permissions })
  const browser: Browser = await startBrowser()
  t.teardown(() => browser.close())
  const authorize = (more: Record<string, string>) => {
    const form = { response_type: 'code', client_id: web.applicationId, redirect_uri, state: 's' }
    return `/api/v2/oauth2/v2.0/authorize?${new URLSearchParams({ ...form, ...more })}`
  }
  for (const language of languages.filter((each) => each !== 'en')) {
    await t.test(language, async (t) => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en', baseURL: program.baseUrl })
      t.teardown(() => context.close())
      const page = await context.newPage()
      page.setDefaultTimeout(30_000)
      const looks = (name: string) => isWhollyIn(t, page, language, name)
      const wish = { ui_locales: `tlh ${language}-XX en` }
      const scope = 'openid profile email offline_access User.Read User.ReadWrite'
      await page.goto(authorize({ ...wish, scope, prompt: 'consent' }))
      await looks('sign-in')
      await page.fill('#email', person.email)
      await page.fill('#password', person.password)
      await page.click('#sign-in')
      await looks('consent')
      const back = page.waitForRequest('https://app.test/**')
      await page.click('#accept')
      await back
      // Some browsers show a page of their own there, under its own address.
      await page.waitForURL((url) => !url.href.startsWith(program.baseUrl), { waitUntil: 'commit' })
      await page.goto(authorize({ ...wish, scope: 'openid Member.Read.All' }))
      await looks('more-consent')
      await page.goto(authorize({ ...wish, redirect_uri: 'https://elsewhere.test/' }))
      await looks('refused-address')
      const form = { client_id: screen.applicationId, scope: 'User.Read offline_access' }
      const code = JSON.parse((await ask('/api/v2/oauth2/v2.0/devicecode', { form })).body).user_code
      await page.goto(`/device?page_language=${language}`)
      await page.fill('#user_code', 'wrong')
      await page.click('#go-on')
      await looks('wrong-code')
      await page.fill('#user_code', String(code))
      await page.click('#go-on')
      await looks('device-decision')
      await page.click('#allow')
      await looks('device-done')
      for (const path of ['', '/apps', '/details', '/second-factor', '/passkeys']) {
        await page.goto(`/account${path}`)
        await looks(`account${path.replace('/', '-')}`)
      }
      await page.goto('/account/nowhere')
      await looks('nothing-here')
      await page.goto('/consent?request=gone')
      await looks('expired')
      await page.goto(`/api/v2/oauth2/v2.0/logout?client_id=${screen.applicationId}`)
      await looks('logout')
      await page.click('#confirm')
      await looks('signed-out')
    })
  }
})
