// The portal from the one-time set-up link to a call that an application makes, by the clock and by the number of
// clicks; and every page that is registered below /portal, looked at, with and without what untrusted parties may
// write.
// full: every page of the portal in a browser, most of a minute
// run: apart

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { defaultConfigFile, packageRoot } from '../../src/config/read/package-root.js'
import { insertConsentRequest } from '../../src/storage/sql/consents/consent-requests.js'
import { openSqliteStore } from '../../src/storage/sql/sqlite/sqlite.js'
import type { Store } from '../../src/storage/sql/store.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage, pressCopy } from '../support/browser/pages.js'
import { plantDelivery } from '../support/browser/planted-delivery.js'
import { plantToolChange } from '../support/browser/planted-tool-change.js'
import { type PageIds, pageAddress } from '../support/browser/portal-pages.js'
import { plantLink, plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, startProgram } from '../support/programs/program.js'
import { pkcePair } from '../support/rooms/delegation.js'
import { openPortal } from '../support/rooms/portal.js'

const password = 'nine quiet purple lanterns'
const payload = '"><img src=x onerror="window.ran=1"><script>window.ran=1</script>'

const callback = 'https://reports.example/callback'

/** Which picture of which test shows a page; every other page is looked at below. */
const elsewhere: Readonly<Record<string, [test: string, picture: string]>> = Object.fromEntries([
  ...[
    ['', 'applications'],
    ['/new', 'register'],
    ['/:id', 'overview'],
    ['/:id/credentials', 'credentials'],
    ['/:id/secrets/:keyId/end', 'end-private-key'],
    ['/:id/proof', 'proof'],
    ['/:id/federation', 'federation'],
    ['/:id/redirect-uris', 'redirect-uris'],
    ['/:id/sign-out-everywhere', 'sign-out-everywhere'],
    ['/:id/delete', 'delete'],
  ].map(([path, picture]) => [`/portal/applications${path}`, ['portal-applications', picture]]),
  ...[
    ['/permissions', 'portal-permissions-granted'],
    ['/permissions/add', 'portal-permissions-add'],
    ['/permissions/remove', 'portal-permissions-remove'],
    ['/permissions/consent', 'portal-permissions-consent'],
    ['/try-it', 'portal-try-it'],
    ['/activity', 'portal-activity'],
    ['/usage', 'portal-usage'],
  ].map(([path, picture]) => [`/portal/applications/:id${path}`, ['portal-permissions', picture]]),
  ['/portal/confirm', ['portal-confirm', 'portal-confirm']],
])
/** No page of its own: where it leads is. */
const noPage = [
  '/portal/usage/export',
  '/portal/apis/:apiId/openapi.json',
  '/portal/apis/:apiId/try',
  '/portal/audit/export',
  '/portal/server/audit/export',
]

t.setTimeout(280_000)
let program: Program
let browser: Browser
let ada: BrowserContext
/** What went wrong on any page, no matter who opened it. */
const problems: string[] = []

t.before(async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  program = await startProgram({ cwd, config: withPlansAndProvider(join(cwd, 'portcullis.yaml')) })
  browser = await startBrowser()
  ada = await context()
})
t.teardown(async () => {
  await browser?.close()
  await program?.stop()
})

async function context(options: { javaScriptEnabled?: boolean } = {}): Promise<BrowserContext> {
  const permissions = ['clipboard-read', 'clipboard-write']
  const made = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl, permissions, ...options })
  made.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  made.on('weberror', (error) => problems.push(String(error.error())))
  made.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.type()} ${dialog.message()}`)
    dialog.dismiss().catch(() => undefined)
  })
  return made
}

/** A stopwatch: each step with its seconds and clicks. */
function stopwatch(t: Test, page: Page) {
  const start = performance.now()
  let [last, clicks, all] = [start, 0, 0]
  return {
    async click(...selectors: string[]) {
      for (const selector of selectors) {
        clicks += 1
        await page.click(selector)
      }
    },
    async copy(selector: string) {
      clicks += 1
      await pressCopy(page, selector)
    },
    done(step: string) {
      const now = performance.now()
      t.comment(`${((now - last) / 1000).toFixed(1).padStart(5)} s ${String(clicks).padStart(2)} clicks  ${step}`)
      ;[last, all, clicks] = [now, all + clicks, 0]
    },
    total() {
      const seconds = (performance.now() - start) / 1000
      t.comment(`${seconds.toFixed(1).padStart(5)} s ${String(all).padStart(2)} clicks  altogether`)
      return { seconds, clicks: all }
    },
  }
}

t.test('from the set-up link to a call that is answered, without leaving the portal', async (t) => {
  const page = await ada.newPage()
  const outside: string[] = []
  page.on('framenavigated', (frame) => outside.push(new URL(frame.url()).pathname))
  const watch = stopwatch(t, page)
  const link = await plantSetUpLink(program)
  await page.goto(link)
  await page.fill('#name', 'Ada Lovelace')
  await page.fill('#email', 'ada@example.com')
  await page.fill('#password', password)
  await watch.click('#create-account')
  watch.done('an account by the set-up link')
  t.equal(new URL(page.url()).pathname, '/portal', 'the portal is where one lands')
  await watch.click('#register', '#kind-server')
  await page.fill('#name', 'Nightly export')
  await watch.click('#register')
  watch.done('an application is registered')
  await watch.copy('#client-secret-copy')
  await watch.click('#to-application')
  watch.done('its private key is copied')
  await watch.click('#tab-permissions', '#add-permission', '[value$=" User.Read.All"]', '#add')
  watch.done('a permission is configured')
  await watch.click('#grant', '#grant-form #grant')
  watch.done('an administrator has consented')
  await watch.click('#tab-try-it', '#get-token-0')
  await watch.click('#send')
  await page.waitForSelector('#answer:not([hidden])')
  t.match(await page.textContent('#answer-status'), /^200/)
  t.match(await page.inputValue('#answer-body'), /"publicName"/)
  watch.done('a token, and a call with it')
  const { seconds, clicks } = watch.total()
  t.ok(clicks <= 16, `${clicks} clicks`)
  t.ok(seconds < 60, `${seconds} s`)
  t.same(
    outside.filter((path) => !path.startsWith('/portal') && path !== link),
    [],
    'nothing but the portal',
  )
  t.same(problems, [], 'no dialog, nothing against the policy')
  await page.close()
})

t.test('the same without JavaScript, by an invitation, up to the token', async (t) => {
  const plain = await context({ javaScriptEnabled: false })
  const page = await plain.newPage()
  const watch = stopwatch(t, page)
  await page.goto(await plantLink(program, { purpose: 'invitation', email: 'grace@example.com', role: 'owner' }))
  await page.fill('#name', 'Grace Hopper')
  await page.fill('#password', password)
  await watch.click('#accept')
  watch.done('an account by an invitation')
  await watch.click('#register', '#kind-server')
  await page.fill('#name', 'Plain export')
  await watch.click('#register', '#to-application')
  watch.done('an application is registered')
  await watch.click('#tab-permissions', '#add-permission', '[value$=" User.Read.All"]', '#add')
  await watch.click('#grant', '#grant-form #grant')
  watch.done('a permission is configured and granted')
  await watch.click('#tab-try-it', '#get-token-0')
  t.match(await page.inputValue('#token'), /^eyJ/)
  await page.waitForLoadState()
  t.ok(await page.isVisible('#without-scripts'), 'the call itself is a command')
  watch.done('a token')
  watch.total()
  await plain.close()
})

t.test('every page below /portal: light, dark and at 320 px, without a violation', async (t) => {
  const { pages } = await openPortal(t)
  for (const [pattern, [test, picture]] of Object.entries(elsewhere)) {
    t.ok(pages.includes(pattern), `${pattern} is a page`)
    const source = readFileSync(join(String(packageRoot()), 'test', 'browser', `${test}.test.ts`), 'utf8')
    t.ok(source.includes(`'${picture}'`), `${pattern} is looked at by ${test}`)
  }
  const ids = await populate()
  const page = await ada.newPage()
  problems.length = 0
  for (const pattern of pages.filter((each) => !noPage.includes(each) && elsewhere[each] === undefined)) {
    const answer = await page.goto(pageAddress(pattern, ids))
    t.equal(answer?.status(), 200, pattern)
    // As somebody who looks for something, and into what was found.
    if (pattern === '/portal/audit') for (const one of ['#filter', '.event']) await page.click(`${one} > summary`)
    const name = (pattern === '/portal' ? '/portal/overview' : pattern)
      .slice('/portal/'.length)
      .replace(/[^a-z]+/gi, '-')
      .toLowerCase()
    t.same(await inspectPage(page, `portal-${name}`), [], pattern)
  }
  t.same(problems, [], 'the console is quiet')
  await page.close()
})

t.test('U4 nothing that untrusted parties wrote runs on any page', async (t) => {
  const { pages } = await openPortal(t)
  const ids = await populate(payload)
  const page = await ada.newPage()
  problems.length = 0
  const inert = async (address: string) => {
    await page.goto(address)
    t.equal(await page.evaluate('window.ran'), undefined, address)
    t.equal(await page.locator('img').count(), 0, address)
  }
  // What waits for a confirmation is in test/portal/xss.
  const own = pages.filter((each) => !noPage.includes(each) && each !== '/portal/confirm')
  for (const pattern of own) await inert(pageAddress(pattern, ids))
  const query = new URLSearchParams({
    ...{ client_id: ids.asking, redirect_uri: callback, response_type: 'code', scope: 'User.Read', state: payload },
    ...{ code_challenge: pkcePair().challenge, code_challenge_method: 'S256' },
  })
  for (const address of [
    ...[`/api/v2/oauth2/v2.0/authorize?${query}`, `/api/v2/oauth2/v2.0/adminconsent?client_id=${ids.asking}`],
    '/consent-requests',
  ]) {
    await inert(address)
    t.match(await page.textContent('body'), 'onerror', `${address} shows it`)
  }
  for (const address of ['/account', '/account/apps', '/account/sessions', '/account/details']) await inert(address)
  t.same(problems, [], 'no dialog, nothing against the policy')
})

/** What comes with Portcullis, with plans. */
function withPlansAndProvider(file: string): string {
  const plans = `plans:
  free: { describe: To try things out., chosenBy: developers, limits: { daily: { quota: 1000/day } } }
  partner:
    describe: For partners with a contract.
    limits: { application: { rate: 60000/min, burst: 2000 }, daily: { quota: 1000000/day } }
    concurrent: 50
`
  const text = readFileSync(defaultConfigFile(), 'utf8').replace('\nplans: {}\n', `\n${plans}`)
  const corp = { label: 'Corp ID', issuer: 'https://id.corp.example', clientId: 'portcullis' }
  const whole = text.replace(/^ {2}providers: \{\}$/m, `  providers: ${JSON.stringify({ corp })}`)
  writeFileSync(file, whole.replace('\ndefaults:', '\ndefaults:\n  plan: free\n #'))
  return file
}

/** Something for every page to show, by way of the local socket; `name` is what everything is called. */
async function populate(name?: string): Promise<PageIds & { asking: string }> {
  const client = createLocalClient(join(program.folder, 'admin.sock'))
  const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown) =>
    (await client.call(method, path, body)) as Record<string, string>
  const { value: tenants } = (await ask('GET', '/tenants')) as unknown as { value: { tenantId: string }[] }
  const tenantId = tenants[0]?.tenantId ?? ''
  const permissions = [{ kind: 'application', id: 'User.Read.All' }]
  const application = (await ask('POST', '/applications', {
    ...{ name: name ?? 'Travel desk', publisher: name ?? 'Fabrikam GmbH', type: 'web', tenantId, permissions },
    ...{ consent: true, secretLabel: name ?? 'first' },
  })) as unknown as { applicationId: string; secrets: { keyId: string }[] }
  const id = application.applicationId
  await ask('POST', `/applications/${id}/secrets`, { label: name ?? 'second' })
  const trust = { name: name ?? 'Pipeline', issuer: 'https://issuer.example', subject: name ?? 'repo:fabrikam/travel' }
  const federated = await ask('POST', `/applications/${id}/federatedCredentials`, trust)
  const email = `${randomUUID().slice(0, 8)}@fabrikam.example`
  const person = await ask('POST', '/users', { name: name ?? 'Katherine Johnson', email, tenantId, role: 'developer' })
  await ask('POST', '/invitations', { email: `new-${email}`, role: 'member', tenantId })
  const asking = await ask('POST', '/applications', {
    ...{ name: name ?? 'Quarterly reports', publisher: name ?? 'Contoso', type: 'web', tenantId },
    redirectUris: [callback],
    permissions: [...permissions, { kind: 'delegated', id: 'User.Read' }],
  })
  const wish = { plan: 'partner', reason: name ?? 'We signed the contract on Monday.' }
  await ask('PUT', `/applications/${id}/plan`, {
    plan: 'free',
    overrides: { limits: { daily: { quota: '5000/day' } } },
  })
  await ask('POST', `/applications/${asking['applicationId']}/planRequest`, wish)
  const refs = ['application User.Read.All', 'delegated User.Read'].map((words) => words.split(' '))
  const resource = `${program.baseUrl}/api/v2`
  await plantRequest({
    ...{ id: randomUUID(), application_id: asking['applicationId'] ?? '', tenant_id: tenantId },
    ...{ requested_by: person['userId'] ?? '', reason: name ?? 'The board wants the numbers by Friday.' },
    permissions: JSON.stringify(refs.map(([kind, permission]) => ({ kind, resource, id: permission }))),
    ...{ state: 'pending', created_at: Date.now(), decided_at: null, decided_by: null },
  })
  const apiId = 'resources'
  const orders = { id: 'Orders.Read', describe: name ?? 'Read orders', kinds: ['application', 'delegated'] }
  const { apiId: ownApiId = '' } = await ask('POST', '/apis', {
    ...{
      shortName: name === undefined ? 'orders' : 'odd-orders',
      name: name ?? 'Orders',
      tenantId,
      permissions: [orders],
    },
  })
  const keyId = application.secrets[0]?.keyId ?? ''
  const url = `https://hooks.fabrikam.example/portcullis?${encodeURIComponent(name ?? 'team=travel')}`
  const events = name === undefined ? ['consent.*', 'secret.expiring'] : ['*']
  const { id: webhookId = '' } = await ask('POST', '/webhooks', { url, events, tenantId })
  const deliveryId = await withStore((store) => plantDelivery(store, webhookId))
  const token = { label: name ?? 'Fabrikam’s deployment pipeline', uses: 5, tenantId }
  const { id: tokenId = '' } = await ask('POST', '/registrationTokens', token)
  const old = { name: name ?? 'Fleet planner of last year', type: 'web', tenantId, permissions, consent: true }
  const { applicationId: deletedId = '' } = await ask('POST', '/applications', old)
  await client.call('DELETE', `/applications/${deletedId}`)
  const about = {
    id,
    applicationId: id,
    keyId,
    credentialId: federated['id'] ?? '',
    webhookId,
    deliveryId,
    tokenId,
    deletedId,
    changeId: await withStore((store) =>
      plantToolChange(store, name, `${name === undefined ? '' : 'odd_'}close_ticket`),
    ),
  }
  const ids = { ...about, userId: person['userId'] ?? '', apiId, ownApiId, provider: 'corp' }
  return { ...ids, asking: asking['applicationId'] ?? '' }
}

async function plantRequest(row: Parameters<typeof insertConsentRequest>[1]): Promise<void> {
  await withStore((store) => store.transaction((tx) => insertConsentRequest(tx, row)))
}

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({ file: join(program.folder, 'portcullis.db'), busyTimeoutMs: 5_000 })
  return work(store).finally(() => store.close())
}
