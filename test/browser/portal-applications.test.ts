// Applications at the portal in a real browser: every page looked at, what scripts add, and the main path without them.
// full: a browser and a program, most of a minute
// run: apart

import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage, pressCopy, takePicture } from '../support/browser/pages.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, startProgram } from '../support/programs/program.js'

const email = 'ada@example.com'
const password = 'nine quiet purple lanterns'

let program: Program
let browser: Browser
let ada: BrowserContext
/** Where the set-up link led to, without JavaScript. */
let landed: string

t.before(async () => {
  program = await startProgram({ cwd: t.testdir() })
  browser = await startBrowser()
  ada = await context()
  const plain = await context({ javaScriptEnabled: false })
  const page = await plain.newPage()
  await page.goto(await plantSetUpLink(program))
  await page.fill('#name', 'Ada Lovelace')
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('#create-account')
  landed = new URL(page.url()).pathname
  // She goes on in a browser that runs scripts.
  const cookies = await plain.cookies()
  await ada.addCookies(
    cookies.map(({ name, value, httpOnly, sameSite }) => ({
      ...{ name, value, httpOnly, sameSite },
      ...{ url: program.baseUrl, secure: true },
    })),
  )
  await plain.close()
})
t.teardown(async () => {
  await browser?.close()
  await program?.stop()
})

t.test('one language at a time', async (t) => {
  const page = await ada.newPage()
  await page.goto('/portal/applications?search=hello')
  await page.click('#applications a')
  for (const language of ['python', 'go', 'java', 'node', 'curl']) {
    await page.click(`label:has(#language-${language})`)
    t.match(await page.textContent(`#snippet-${language}`), /[0-9a-f]{8}-[0-9a-f]{4}-/)
    t.equal(await page.locator('.panel:visible').count(), 1)
    t.equal(await page.isVisible(`#snippet-${language}`), true)
    t.same(await inspectPage(page, `portal-snippets-${language}`), [], language)
  }
})

t.test('each page: no violation, nothing cut off, nothing against the policy', async (t) => {
  const page = await ada.newPage()
  const problems: string[] = []
  const looked = async (name: string) => t.same(await inspectPage(page, `portal-${name}`), [], name)
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto('/portal/applications')
  await looked('applications')
  await page.click('#applications a')
  await page.click('#delete')
  await looked('delete')
  await page.fill('#typed', 'hello')
  await page.click('#confirm')
  t.match(await page.textContent('#no-applications-title'), 'Register your first application')
  await looked('no-applications')
  await page.click('#register')
  await looked('kinds')
  await page.click('#kind-web')
  await looked('register')
  await page.fill('#name', 'Billing')
  await page.fill('#redirectUri', 'https://billing.example.com/callback')
  await page.click('#register')
  t.equal(await page.textContent('h1'), 'Billing')
  await looked('registered')
  await pressCopy(page, '#client-secret-copy')
  await page.click('#to-application')
  await looked('overview')
  await page.click('#sign-out-everywhere')
  await looked('sign-out-everywhere')
  await page.click('#cancel')
  await page.click('#tab-redirect-uris')
  await looked('redirect-uris')
  await page.click('#tab-credentials')
  await page.click('#rotate')
  await looked('new-private-key')
  await pressCopy(page, '#client-secret-copy')
  await page.click('#to-credentials')
  await page.waitForLoadState()
  t.equal(await page.locator('#secrets tbody tr').count(), 2)
  await looked('credentials')
  await page.click('#secrets tbody tr:last-child .danger')
  await looked('end-private-key')
  await page.click('#cancel')
  await page.click('#change-proof')
  await looked('proof')
  await page.click('#cancel')
  await page.click('#add-federation')
  await looked('federation')
  t.same(problems, [])
})

t.test('what is wrong with a redirect URI is said and corrected by one press', async (t) => {
  const page = await ada.newPage()
  await page.goto('/portal/applications/new?kind=native')
  await page.fill('#name', 'Phone')
  await page.fill('#redirectUri', 'com.example.phone:callback')
  await page.click('#register')
  t.match(await page.textContent('#redirectUri-error'), /Did you mean com\.example\.phone:\/callback/)
  t.same(await inspectPage(page, 'portal-register-wrong'), [])
  await page.click('#use-corrected')
  t.equal(await page.textContent('h1'), 'Phone')
  await page.click('#to-application')
  await page.click('#tab-credentials')
  t.same(await inspectPage(page, 'portal-no-credentials'), [])
  await page.click('#tab-redirect-uris')
  await page.fill('#logoutRedirectUris', 'http://phone.example.com/bye')
  await page.click('#logoutRedirectUris-add-button')
  t.same(await inspectPage(page, 'portal-redirect-uris-wrong'), [])
  await page.click('#logoutRedirectUris-corrected')
  t.match(await page.textContent('#logoutRedirectUris-list'), /https:\/\/phone\.example\.com\/bye/)
})

t.test('“Test” of a redirect URI leads there, by way of signing in and consenting', async (t) => {
  const page = await ada.newPage()
  await page.goto('/portal/applications/new?kind=web')
  await page.fill('#name', 'Tested')
  await page.fill('#redirectUri', 'https://tested.example.com/callback')
  await page.click('#register')
  await pressCopy(page, '#client-secret-copy')
  await page.click('#to-application')
  await page.click('#tab-redirect-uris')
  await page.click('[aria-label^="Test https"]')
  // Nobody is there: the request that leads there is all that counts.
  const arrival = page.waitForRequest('https://tested.example.com/**')
  await page.click('#accept')
  const { pathname, searchParams } = new URL((await arrival).url())
  t.equal(pathname, '/callback')
  t.ok(searchParams.get('code'))
  t.equal(searchParams.get('state'), 'test-from-the-portal')
})

t.test('U9 the private key is masked until requested, taken along as a file, and guarded until then', async (t) => {
  const page = await ada.newPage()
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type())
    dialog.dismiss().catch(() => undefined)
  })
  await register(page, 'Guarded')
  t.equal(await page.getAttribute('#client-secret', 'type'), 'password')
  await page.click('#client-secret-show')
  t.equal(await page.getAttribute('#client-secret', 'type'), 'text')
  await page.click('#client-secret-show')
  t.equal(await page.getAttribute('#client-secret', 'type'), 'password')
  const address = page.url()
  await page.click('#to-application')
  t.same(dialogs, ['beforeunload'], 'leaving asks')
  t.equal(page.url(), address, 'and one stays')
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#env-download')])
  t.equal(download.suggestedFilename(), 'portcullis.env')
  const text = readFileSync(await download.path(), 'utf8')
  t.match(
    text,
    /^PORTCULLIS_ISSUER=https:.*\nPORTCULLIS_CLIENT_ID=[0-9a-f-]{36}\nPORTCULLIS_CLIENT_SECRET=pcl_sk_\w+\n$/,
  )
  t.equal(text.match(/SECRET=(.*)/)?.[1], await page.inputValue('#client-secret'))
  await page.click('#to-application')
  t.equal(await page.textContent('#tab-overview[aria-current]'), 'Overview', 'kept: leaving asks no more')
  t.same(dialogs, ['beforeunload'])
  const back = await page.goBack().then(String, String)
  t.match(back, 'ERR_CACHE_MISS', 'going back does not show it again')
})

t.test('copying says so, and gives exactly what stands there', async (t) => {
  const page = await ada.newPage()
  await register(page, 'Copied')
  for (const id of ['application-id', 'public-key', 'client-secret', 'snippet-curl']) {
    t.equal(await pressCopy(page, `#${id}-copy`), 'Copied', id)
    const shown = id === 'client-secret' ? await page.inputValue(`#${id}`) : await page.textContent(`#${id}`)
    t.equal(await page.evaluate('navigator.clipboard.readText()'), shown, id)
  }
})

t.test(
  'without JavaScript: set up, registered, its key selected, rotated, sent somewhere, disabled, deleted',
  async (t) => {
    t.equal(landed, '/portal', 'the set-up link')
    const plain = await context({ javaScriptEnabled: false })
    t.teardown(() => plain.close())
    const page = await plain.newPage()
    await page.goto('/portal/applications')
    await page.fill('#email', email)
    await page.fill('#password', password)
    await page.click('#sign-in')
    t.equal(await page.textContent('h1'), 'Applications', 'signed in and back')
    await register(page, 'Plain')
    t.equal(await page.getAttribute('#client-secret', 'type'), 'text', 'it can be selected')
    t.match(await page.inputValue('#env'), 'PORTCULLIS_CLIENT_SECRET=pcl_sk_')
    await takePicture(page, 'portal-registered-plain')
    await page.click('label:has(#language-node)')
    t.equal(await page.isVisible('#snippet-node'), true)
    await page.click('#to-application')
    await page.click('#tab-credentials')
    await page.selectOption('#rotate-overlap', '604800')
    await page.click('#rotate')
    t.match(await page.inputValue('#client-secret'), /^pcl_sk_/)
    await page.click('#to-credentials')
    t.match(await page.textContent('#secrets'), /Ends soon/)
    await page.click('#secrets tbody tr:last-child .danger')
    await page.click('#confirm')
    t.match(await page.textContent('#done'), /ended/)
    await page.click('#tab-redirect-uris')
    await page.fill('#redirectUris', 'http://plain.example.com/')
    await page.click('#redirectUris-add-button')
    await page.click('#redirectUris-corrected')
    t.match(await page.textContent('#redirectUris-list'), 'https://plain.example.com/')
    await page.click('#redirectUris-remove-0 button')
    t.match(await page.textContent('#consequences'), /Calls in the last hour/)
    await takePicture(page, 'portal-question')
    await page.click('#confirm')
    t.match(await page.textContent('#done'), /removed/)
    await page.click('#tab-overview')
    await page.click('#change-state')
    await page.click('#confirm')
    t.match(await page.textContent('#is-disabled'), /Disabled/)
    await page.click('#delete')
    await page.fill('#typed', 'Plain')
    await page.click('#confirm')
    t.match(await page.textContent('#done'), /is deleted/)
  },
)

async function register(page: Page, name: string): Promise<void> {
  await page.goto('/portal/applications/new?kind=server')
  await page.fill('#name', name)
  await page.click('#register')
}

function context(more: { javaScriptEnabled?: boolean; timezoneId?: string } = {}): Promise<BrowserContext> {
  const permissions = ['clipboard-read', 'clipboard-write']
  return browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl, permissions, ...more })
}

t.test('times are those of the browser, with UTC in their title; without scripts they are in UTC', async (t) => {
  const [here, plain] = [await context({ timezoneId: 'Asia/Kolkata' }), await context({ javaScriptEnabled: false })]
  t.teardown(() => Promise.all([here.close(), plain.close()]))
  const [page, without] = [await here.newPage(), await plain.newPage()]
  for (const each of [page, without]) {
    await each.goto('/portal/applications')
    await each.fill('#email', email)
    await each.fill('#password', password)
    await each.click('#sign-in')
    await each.waitForSelector('nav.beside')
  }
  for (const path of ['/account/sessions', '/portal/audit']) {
    await page.goto(path)
    await without.goto(path)
    const time = page.locator('main time').first()
    const at = Date.parse((await time.getAttribute('datetime')) ?? '')
    const inZone = new Intl.DateTimeFormat('en-GB', {
      ...({ dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Kolkata' } as const),
    })
    t.equal(await time.textContent(), inZone.format(at), path)
    t.match(await time.getAttribute('title'), /UTC|Z$/, path)
    t.match(await without.locator('main time').first().textContent(), / UTC$/, path)
  }
})
