// The documentation in a real browser: readable by axe, at 390 px and without scripts, with a search that leads to the
// place; and the pictures of README.md, which this file makes: PICTURES=1 writes them to docs/pictures anew.
// run: apart

import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import t from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { managementCalls } from '../../src/cli/calls/management-calls.js'
import { peopleCalls } from '../../src/cli/calls/people-calls.js'
import { packageRoot } from '../../src/config/read/package-root.js'
import { DownloadsPage } from '../../src/downloads/downloads-page.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage, pressCopy } from '../support/browser/pages.js'
import { isFullEffort } from '../support/effort.js'
import { startProgram } from '../support/programs/program.js'

const root = packageRoot()
const folder = join(root, 'docs', 'pictures')
const pictures = ['portal', 'refused', 'banner'] as const

const password = 'seven unrelated green words'

t.setTimeout(170_000)
const program = await startProgram({ cwd: t.testdir() })
t.teardown(() => program.stop())
const browser = await startBrowser()
t.teardown(() => browser.close())

async function open(options: { javaScriptEnabled?: boolean; width?: number } = {}) {
  const { javaScriptEnabled = true, width = 1280 } = options
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    baseURL: program.baseUrl,
    viewport: { width, height: 800 },
    javaScriptEnabled,
  })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
  return { page, problems, close: () => context.close() }
}

t.test('axe finds nothing, in light and dark, and no page scrolls sideways', async (t) => {
  const { page, problems, close } = await open()
  const more = isFullEffort ? ['/operations', '/configuration-reference', '/quick-start'] : []
  for (const path of ['', '/tokens', '/nothing', ...more]) {
    await page.goto(`/docs${path}`)
    t.same(await inspectPage(page, `docs${path.replace('/', '-')}`), [])
  }
  t.same(
    problems.filter((problem) => !problem.includes('404')),
    [],
    'the console is quiet',
  )
  await close()
})

t.test('the downloads are read, copied and left again at every width, without scripts too', async (t) => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, problems, close } = await open({ javaScriptEnabled, width: 390 })
    // What runs from source has nothing to give away: the page of one that does stands in the same frame.
    await page.goto('/downloads')
    t.same(await page.locator('h1').textContent(), 'Downloads')
    await page.route('**/downloads', (route) => route.fulfill({ contentType: 'text/html', body: downloadsPage() }))
    await page.goto('/downloads')
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      for (const card of await page.locator('.card').all()) {
        const line = card.locator('.command')
        t.match(
          await line.textContent(),
          /^(?:npm install --no-audit --cafile=ca\.pem https:\/\/\S+\.tgz$|curl -fsSk https:)/,
        )
        const [inner, outer] = [await line.boundingBox(), await card.boundingBox()]
        t.ok(inner && outer && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width, `${width} px`)
      }
      t.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width)
    }
    if (javaScriptEnabled) t.same(await inspectPage(page, 'downloads'), [])
    t.same(problems, [], 'the console is quiet')
    await page.click('a[href="/docs/tokens"]')
    await page.waitForURL('**/docs/tokens')
    await page.click('article a[href="/downloads"]')
    await page.waitForURL('**/downloads')
    await close()
  }
})

t.test('a block of code is copied by a button that says so, by mouse and by keyboard', async (t) => {
  for (const width of [1280, 320]) {
    const { page, problems, close } = await open({ width })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/docs/quick-start')
    const blocks = page.locator('.prose pre')
    const buttons = page.locator('.prose .copied > button')
    t.equal(await buttons.count(), await blocks.count(), 'each has one')
    const [first, second] = [buttons.nth(0), buttons.nth(1)]
    t.equal(await first.getAttribute('aria-label'), 'Copy: npm ci && npm start')
    t.equal(await pressCopy(page, '.prose .copied > button'), 'Copied')
    t.equal(
      await page.evaluate('navigator.clipboard.readText()'),
      'npm ci && npm start',
      'nothing runs when it is pasted',
    )
    await second.focus()
    await page.keyboard.press('Enter')
    await page.waitForFunction('navigator.clipboard.readText().then((text) => text.startsWith("TOKEN="))')
    t.equal(await page.evaluate('navigator.clipboard.readText()'), (await blocks.nth(1).textContent())?.trimEnd())
    t.same(await inspectPage(page, `docs-copied-${width}`), [])
    t.same(problems, [], 'the console is quiet')
    await close()
  }
})

t.test('the search finds a section and leads to it, also at 390 px', async (t) => {
  for (const width of [1280, 390]) {
    const { page, problems, close } = await open({ width })
    await page.goto('/docs')
    await page.fill('#docs-query', 'rotate secret overlap')
    await page.waitForSelector('#docs-results li')
    t.match(await page.textContent('#docs-found'), /section/)
    await page.fill('#docs-query', 'backup restore')
    const result = page.locator('#docs-results a', { hasText: 'Operations › Backup and restore' })
    await result.click()
    await page.waitForURL('**/docs/operations#backup-and-restore')
    t.ok(await page.locator('#backup-and-restore').isVisible())
    await page.fill('#docs-query', 'nobodywrotethisword')
    await page.locator('#docs-found', { hasText: 'Nothing found' }).waitFor()
    t.same(problems, [], 'the console is quiet')
    await close()
  }
})

t.test('the search finds a setting by its name, and says where it is', async (t) => {
  for (const width of [1280, 390]) {
    const { page, problems, close } = await open({ width })
    await page.goto('/docs/configuration-reference')
    await page.fill('#docs-query', 'staleAfter')
    await page.locator('#docs-results a', { hasText: 'Configuration reference › revocation' }).click()
    await page.waitForURL('**/docs/configuration-reference#revocation')
    const row = page.locator('#revocation ~ .table').first().locator('tr', { hasText: 'revocation.staleAfter' })
    t.match(await row.textContent(), 'at the next start')
    t.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, 'only the table scrolls')
    t.same(problems, [], 'the console is quiet')
    await close()
  }
})

t.test('without scripts the menu leads everywhere, and there is no search that does nothing', async (t) => {
  const { page, close } = await open({ javaScriptEnabled: false, width: 390 })
  await page.goto('/docs/tokens')
  t.equal(await page.locator('#docs-search').isVisible(), false)
  t.equal(await page.locator('#docs-menu').isVisible(), true)
  await page.click('.to-menu')
  await page.click('#docs-menu a[href="/docs/limits"]')
  t.equal(await page.locator('h1').textContent(), 'Limits')
  await close()
})

// Its pages have tests of their own (test/portal); in the quick tier the files are looked at only.
const pictured = { skip: isFullEffort ? false : 'npm run test:all' }
t.test('the portal, a refusal that explains itself and the banner are as README.md shows them', pictured, async (t) => {
  await addAda()
  const { page, close } = await open({ width: 1100 })
  await page.goto('/portal')
  await page.fill('#email', 'ada@contoso.example')
  await page.fill('#password', password)
  await page.click('#sign-in')
  await page.waitForURL('**/portal')
  await page.goto('/portal/applications')
  await page.click('main a[href*="/portal/applications/"]:not([href*="/new"])')
  await page.waitForSelector('h1')
  await picture(page, 'portal')
  await page.goto('/portal/explain')
  await page.selectOption('#method', 'POST')
  await page.fill('#path', '/api/v2/subscriptions')
  await page.fill('#application', 'hello')
  await page.fill('#scope', 'Subscription.Read.All')
  await page.click('#explain')
  await page.waitForSelector('#decision')
  t.match(await page.textContent('#decision'), /refuse|denied|not/i)
  await page.locator('#decision').scrollIntoViewIfNeeded()
  await picture(page, 'refused')
  await page.goto('about:blank')
  const lines = program
    .output()
    .split('\n')
    .filter((line) => !line.startsWith('{'))
  const banner = lines.join('\n').replace(/pcl_(\w\w)_[\w-]+/g, 'pcl_$1_…')
  await page.setViewportSize({ width: 1100, height: 400 })
  await page.setContent(
    '<body style="margin:0;background:#1c1a17"><pre style="margin:0;padding:24px;color:#f4f0ea;font:15px/1.5 DejaVu Sans Mono,monospace;white-space:pre-wrap;overflow-wrap:anywhere"></pre>',
  )
  await page.locator('pre').evaluate((element, text) => {
    element.textContent = text
  }, banner)
  await picture(page, 'banner')
  await close()
})

t.test('README.md shows these pictures, with words for who does not see them, and none is large', async (t) => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  for (const name of pictures) {
    const file = join(folder, `${name}.png`)
    t.equal(readFileSync(file).subarray(1, 4).toString(), 'PNG')
    t.ok(statSync(file).size < 150_000, `${name}: ${statSync(file).size} bytes`)
    t.match(readme, new RegExp(`!\\[[^\\]]{20,}\\]\\(docs/pictures/${name}\\.png\\)`))
  }
})

/** With both packages, under a name that wraps. */
function downloadsPage(): string {
  const downloads = ['portcullis-client', 'portcullis'].map((name) => ({
    name,
    version: '12.34.56-next.7',
    file: `${name}-12.34.56-next.7.tgz`,
    bytes: Buffer.alloc(30_000),
    integrity: `sha512-${'wQ8r+'.repeat(17)}==`,
    digest: 'a'.repeat(64),
  }))
  const baseUrl = 'https://identity.a-rather-long-name.department.example:8443'
  return `<!doctype html>${renderToString(h(DownloadsPage, { downloads, baseUrl, authority: { pem: '', fingerprint: Array(32).fill('AB').join(':') } }))}`
}

async function addAda(): Promise<void> {
  const client = createLocalClient(join(program.folder, 'admin.sock'))
  const [tenant] = await managementCalls(client).listTenants()
  const tenantId = tenant?.tenantId ?? ''
  const email = 'ada@contoso.example'
  await peopleCalls(client).createUser({ name: 'Ada Admin', email, password, tenantId, role: 'administrator' })
}

async function picture(page: Page, name: (typeof pictures)[number]): Promise<void> {
  if (process.env['PICTURES'] !== '1') return
  mkdirSync(folder, { recursive: true })
  // Ports differ from run to run, and nobody else has them.
  await page.evaluate(`{
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { currentNode } = texts
      currentNode.data = currentNode.data.replaceAll(${JSON.stringify(program.baseUrl)}, 'https://localhost:8443').replace(/127\\.0\\.0\\.1:\\d+/, '127.0.0.1:9464')
    }
  }`)
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}
