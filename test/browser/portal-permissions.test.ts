// Permissions, trying out, activity, explanations and usage of an application in a real browser, against a running
// server: what people see, in light and dark, at 320 px, by axe; and a call from the page that reaches the gate.
// full: a browser and a program, most of a minute
// run: apart

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { clientCalls } from '../../src/cli/calls/client-calls.js'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { managementCalls } from '../../src/cli/calls/management-calls.js'
import { peopleCalls } from '../../src/cli/calls/people-calls.js'
import { packageRoot } from '../../src/config/read/package-root.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { tokenRequest } from '../support/programs/demo.js'
import { type Program, startProgram } from '../support/programs/program.js'
import { until } from '../support/traffic/until.js'

const password = 'seven unrelated green words'
const payload = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
const asItself = (id: string) => ({ kind: 'application' as const, id })

interface TestApp {
  program: Program
  tenantId: string
  manage: ReturnType<typeof managementCalls>
  owners: ReturnType<typeof clientCalls>
  /** A browser of its own in which somebody of that role is signed in, on the page. `scripts: false` runs none. */
  openPage(who: 'dana' | 'ada', path: string, options?: { scripts?: boolean }): Promise<Page>
  /** What the consoles of all pages said that was wrong. */
  problems: string[]
}

t.setTimeout(170_000)
/** One for all: a start, and a browser's, takes seconds. */
const testApp = await openTestApp(t)

async function openTestApp(t: Test): Promise<TestApp> {
  const cwd = t.testdir()
  const shipped = readFileSync(join(String(packageRoot()), 'config', 'portcullis.yaml'), 'utf8')
  const config = shipped
    .replace(/(assets_create:\n\s+describe: )[^\n]*/, `$1'${payload}'`)
    .replace('flushEvery: 10s', 'flushEvery: 1s')
    .replace('unusedAfter: 30d', 'unusedAfter: 30s')
  writeFileSync(join(cwd, 'portcullis.yaml'), config)
  const program = await startProgram({ cwd, config: join(cwd, 'portcullis.yaml') })
  t.teardown(() => program.stop())
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const client = createLocalClient(join(program.folder, 'admin.sock'))
  const [manage, people] = [managementCalls(client), peopleCalls(client)]
  const [tenant] = await manage.listTenants()
  const tenantId = tenant?.tenantId ?? ''
  const add = (name: string, role: 'developer' | 'administrator') =>
    people.createUser({ name, email: `${name.split(' ')[0]?.toLowerCase()}@contoso.test`, password, tenantId, role })
  await add('Dana Developer', 'developer')
  await add('Ada Admin', 'administrator')
  const problems: string[] = []
  return {
    ...{ program, tenantId, manage, problems, owners: clientCalls(client) },
    async openPage(who, path, { scripts = true } = {}) {
      const context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: scripts })
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text())
      })
      page.on('pageerror', (error) => {
        problems.push(String(error))
      })
      await page.goto(`${program.baseUrl}${path}`)
      await page.fill('#email', `${who}@contoso.test`)
      await page.fill('#password', password)
      await page.click('#sign-in')
      return page
    },
  }
}

t.test('from nothing to a granted permission: developer, administrator, and a call from the page', async (t) => {
  const { program, manage, tenantId, openPage, problems } = testApp
  const { applicationId, clientSecret = '' } = await manage.createApplication({
    ...{ name: 'Quarterly reports', type: 'web', tenantId, publisher: 'Fabrikam GmbH' },
    redirectUris: ['https://reports.example/callback'],
  })
  await testApp.owners.addOwner(applicationId, { email: 'dana@contoso.test' })
  const at = `/portal/applications/${applicationId}`
  const dana = await openPage('dana', `${at}/permissions`)
  await dana.waitForSelector('#no-permissions')
  t.same(await inspectPage(dana, 'portal-permissions-none'), [])
  await dana.click('#add-permission')
  t.same(await inspectPage(dana, 'portal-permissions-add'), [])
  await dana.fill('#search', 'user')
  await dana.click('#find')
  await dana.check('[value$=" User.Read.All"]')
  await dana.click('#add')
  await dana.click('#add-permission')
  for (const id of ['assets_read', 'Subscription.Read.All']) await dana.check(`[value$=" ${id}"]`)
  await dana.click('#add')
  await dana.click('#add-permission')
  await dana.click('#kind-delegated')
  await dana.check('[value$=" User.Read"]')
  await dana.click('#add')
  await dana.waitForSelector('#done')
  t.same(await inspectPage(dana, 'portal-permissions-waiting'), [])

  const ada = await openPage('ada', `${at}/permissions`)
  await ada.click('#grant')
  t.same(await inspectPage(ada, 'portal-permissions-consent'), [])
  await ada.click('#grant-form #grant')
  await ada.waitForSelector('#done')
  t.same(await inspectPage(ada, 'portal-permissions-granted'), [])
  await ada.click('#configured-0-remove')
  t.same(await inspectPage(ada, 'portal-permissions-remove'), [])

  await dana.goto(`${program.baseUrl}${at}/try-it`)
  t.same(await inspectPage(dana, 'portal-try-it'), [])
  await dana.click('#get-token-0')
  await dana.waitForSelector('#call-form:not([hidden])')
  await dana.click('#send')
  await dana.waitForSelector('#answer:not([hidden])')
  t.match(await dana.textContent('#answer-status'), /^200/, 'Try it calls /me')
  t.match(await dana.inputValue('#answer-body'), /"publicName"/)
  t.match(await dana.textContent('#answer-request'), /request-id [0-9a-f-]{36}/)
  t.match(await dana.textContent('#expires'), /^Expires in [0-4]:\d\d/)
  t.notMatch(await dana.textContent('#curl'), await dana.inputValue('#token'), 'the command shows a short token')
  await dana.click('#reveal')
  t.match(await dana.textContent('#curl'), await dana.inputValue('#token'))
  await dana.click('#reveal')
  t.same(await inspectPage(dana, 'portal-try-it-called'), [])
  await dana.click('#get-title ~ details summary')
  await dana.check('[value="assets_read"]')
  await dana.click('#get-token-0')
  await dana.click('[data-path="/api/v2/me"]')
  await dana.waitForSelector('#answer-status.bad')
  t.match(await dana.textContent('#answer-status'), /^403/, 'what the token does not allow is refused')
  const link = await dana.getAttribute('#answer-request a', 'href')
  for (const elsewhere of ['//evil.test/', 'https://evil.test/', '/\\evil.test/']) {
    await dana.fill('#path', elsewhere)
    await dana.click('#send')
    await dana.waitForFunction("document.getElementById('answer-status').textContent === 'Not sent'")
    await dana.evaluate("document.getElementById('answer-status').textContent = ''")
  }

  await dana.goto(`${program.baseUrl}${link}`)
  t.match(await dana.textContent('#recorded-title'), /refused with 403/)
  t.same(await inspectPage(dana, 'portal-explain-recorded'), [])
  await dana.goto(`${program.baseUrl}/portal/explain?application=${applicationId}`)
  await dana.click('#explain')
  t.match(await dana.textContent('#decision-title'), /GET \/api\/v2\/me: allowed/)
  t.same(await inspectPage(dana, 'portal-explain-allowed'), [])
  await dana.click('#mcp-operation summary')
  await dana.fill('#operationName', 'close_ticket')
  await dana.click('#explain')
  t.match(await dana.textContent('#decision'), /The route leads to no MCP server/)
  t.equal(await dana.inputValue('#operationName'), 'close_ticket', 'the question stays to be seen')
  t.same(await inspectPage(dana, 'portal-explain-operation'), [])
  await tokenRequest(program, {
    ...{
      grant_type: 'client_credentials',
      scope: 'assets_delete',
      client_id: applicationId,
      client_secret: clientSecret,
    },
  })
  await dana.goto(`${program.baseUrl}${at}/activity`)
  t.match(await dana.textContent('#decisions'), /assets_delete/)
  t.same(await inspectPage(dana, 'portal-activity'), [])
  await until('the calls are counted', async () => {
    await dana.goto(`${program.baseUrl}${at}/usage`)
    return /^Calls\s*[1-9]/.test((await dana.textContent('#numbers')) ?? '')
  })
  await dana.click('summary')
  t.same(await inspectPage(dana, 'portal-usage'), [])
  const unusedIsKnown = async () => {
    await dana.goto(`${program.baseUrl}${at}/permissions`)
    return dana.isVisible('#remove-unused')
  }
  await until('what is not used is known', unusedIsKnown, 90_000)
  t.match(await dana.textContent('#configured'), /User\.Read\.All[\s\S]*\d \w{3} 20\d\d/, 'last used')
  t.same(await inspectPage(dana, 'portal-permissions-unused'), [])
  const unused = ['Subscription.Read.All', 'User.Read']
  for (const id of unused) t.match(await dana.textContent('#unused'), id)
  await dana.click('#remove-unused')
  await dana.waitForSelector('#done')
  await dana.waitForLoadState()
  for (const id of unused) t.equal(await dana.locator('code', { hasText: new RegExp(`^${id}$`) }).count(), 0, id)
  // A refusal is what was requested above; the console says so too.
  t.same(
    problems.filter((problem) => !/status of 40[0-9]/.test(problem)),
    [],
    'the consoles are quiet: nothing is against the policy',
  )
})

t.test('without scripts: add, consent, and a token with its command', async (t) => {
  const { program, manage, tenantId, openPage } = testApp
  const { applicationId } = await manage.createApplication({ name: 'Plain', type: 'web', tenantId })
  const at = `/portal/applications/${applicationId}`
  const ada = await openPage('ada', `${at}/permissions/add`, { scripts: false })
  await ada.check('[value$=" User.Read.All"]')
  await ada.click('#add')
  await ada.click('#grant')
  await ada.click('#grant-form #grant')
  t.match(await ada.textContent('#configured'), /Granted for/)
  await ada.goto(`${program.baseUrl}${at}/try-it`)
  await ada.click('#get-token-0')
  t.match(await ada.inputValue('#token'), /^eyJ/)
  await ada.waitForLoadState()
  t.ok(await ada.isVisible('#without-scripts'))
  t.notOk(await ada.isVisible('#call-form'))
  t.match(await ada.textContent('#curl'), /Authorization: Bearer \$TOKEN/)
})

t.test('U4 what somebody wrote into a name or a description does not run on any of these pages', async (t) => {
  const { program, manage, tenantId, openPage } = testApp
  const permissions = [asItself('assets_create'), asItself('User.Read.All')]
  const made = await manage.createApplication({ name: payload, type: 'web', tenantId, permissions, consent: true })
  const { applicationId, clientSecret = '' } = made
  const credentials = { client_id: applicationId, client_secret: clientSecret }
  await tokenRequest(program, { grant_type: 'client_credentials', scope: payload, ...credentials })
  await tokenRequest(program, { grant_type: payload, scope: 'default', ...credentials })
  const at = `/portal/applications/${applicationId}`
  const ada = await openPage('ada', `${at}/permissions`)
  const key = encodeURIComponent(`application ${program.baseUrl}/api/v2 assets_create`)
  const paths = [
    ...['/permissions', '/permissions/add', `/permissions/remove?permission=${key}`, '/permissions/consent'],
    ...['/try-it', '/activity', '/usage'],
  ].map((rest) => `${at}${rest}`)
  for (const path of [...paths, `/portal/explain?application=${applicationId}`]) {
    await ada.goto(`${program.baseUrl}${path}`)
    t.match(await ada.textContent('body'), /onerror|Explain/, path)
    t.equal(await ada.evaluate('window.ran'), undefined, path)
    t.equal(await ada.locator('img').count(), 0, path)
  }
  await ada.click('#explain')
  t.equal(await ada.locator('img').count(), 0)
  await ada.goto(`${program.baseUrl}${at}/try-it`)
  await ada.click('#get-token-0')
  await ada.fill('#path', `/api/v2/${payload}`)
  await ada.click('#send')
  await ada.waitForSelector('#answer:not([hidden])')
  t.equal(await ada.locator('img').count(), 0, 'an answer is text')
  t.equal(await ada.evaluate('window.ran'), undefined)
})
