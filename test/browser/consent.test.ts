// Consent in a real browser, against a running server: what a person and an administrator see, and that the forms get
// where they should under the pages' own policy (HtmlUnit and others ignore it, Chromium does not: C4).
// full: a browser and a program, half a minute
// run: apart

import { rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { consentCalls } from '../../src/cli/calls/consent-calls.js'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { managementCalls } from '../../src/cli/calls/management-calls.js'
import { peopleCalls } from '../../src/cli/calls/people-calls.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage, pictureFile } from '../support/browser/pages.js'
import { call, portcullis, tokenRequest } from '../support/programs/demo.js'
import { type Program, startProgram } from '../support/programs/program.js'

const password = 'seven unrelated green words'
const delegated = (id: string) => ({ kind: 'delegated' as const, id })
const asItself = (id: string) => ({ kind: 'application' as const, id })

interface TestApp {
  program: Program
  tenantId: string
  manage: ReturnType<typeof managementCalls>
  consents: ReturnType<typeof consentCalls>
  people: ReturnType<typeof peopleCalls>
  mia: { userId: string }
  ada: { userId: string }
  /** A browser of its own, in which nobody is signed in. */
  openPage(): Promise<Page>
  /** Signs in on the page that is open. */
  signIn(page: Page, who: 'mia' | 'ada'): Promise<void>
}

t.setTimeout(170_000)
/** One for all: a start, and a browser's, takes seconds. */
const testApp = await openTestApp(t)

async function openTestApp(t: Test): Promise<TestApp> {
  const program = await startProgram({ cwd: t.testdir() })
  t.teardown(() => program.stop())
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const client = createLocalClient(join(program.folder, 'admin.sock'))
  const [manage, people] = [managementCalls(client), peopleCalls(client)]
  const [tenant] = await manage.listTenants()
  const tenantId = tenant?.tenantId ?? ''
  const add = (name: string, role: 'member' | 'administrator') =>
    people.createUser({ name, email: `${name.split(' ')[0]?.toLowerCase()}@contoso.test`, password, tenantId, role })
  const [mia, ada] = [await add('Mia Member', 'member'), await add('Ada Admin', 'administrator')]
  return {
    ...{ program, tenantId, manage, people, mia, ada, consents: consentCalls(client) },
    openPage: async () => (await browser.newContext({ ignoreHTTPSErrors: true })).newPage(),
    async signIn(page, who) {
      await page.fill('#email', `${who}@contoso.test`)
      await page.fill('#password', password)
      await page.click('#sign-in')
    },
  }
}

/** An application's own address on loopback; the queries that browsers brought there. */
async function listen(t: Test): Promise<{ uri: string; brought: URLSearchParams[] }> {
  const brought: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/back') brought.push(url.searchParams)
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>The application</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { uri: `http://localhost:${port}/back`, brought }
}

t.test('the admin consent story: refused, requested, approved, issued, revoked, refused', async (t) => {
  const { program, tenantId, manage, consents, openPage, signIn, mia, ada } = testApp
  const looked: string[] = []
  /** Each page of the story is looked at in light and dark, by axe and for people. */
  const look = async (page: Page, name: string) => {
    for (const scheme of ['light', 'dark']) rmSync(pictureFile(`${name}-${scheme}`), { force: true })
    looked.push(name)
    t.same(await inspectPage(page, name), [], `axe: ${name}`)
  }
  const requested = [asItself('User.Read.All'), asItself('assets_read'), delegated('User.Read')]
  const made = await manage.createApplication({
    ...{ name: 'Fabrikam Reports', type: 'web', publisher: 'Fabrikam GmbH', tenantId, permissions: requested },
  })
  const { applicationId, clientSecret = '' } = made
  const credentials = { client_id: applicationId, client_secret: clientSecret }
  const ask = async () => {
    const answer = await tokenRequest(program, { grant_type: 'client_credentials', scope: 'default', ...credentials })
    return { status: String(answer.status), ...JSON.parse(answer.body) } as Record<string, string>
  }

  const refused = await ask()
  t.match(refused, { status: '400', suberror: 'admin_consent_required' })
  const uri = refused['consent_uri'] ?? ''
  t.ok(uri.startsWith(`${program.baseUrl}/api/v2/oauth2/v2.0/adminconsent?`))

  const member = await openPage()
  await member.goto(uri)
  await member.waitForSelector('#sign-in')
  await look(member, 'admin-consent-sign-in')
  await signIn(member, 'mia')
  await member.waitForSelector('#ask')
  await look(member, 'admin-consent-member')
  await member.fill('#reason', 'I prepare the quarterly report, and it needs the list of people.')
  await member.click('#ask')
  await member.waitForSelector('#request-state')
  await look(member, 'admin-consent-requested')
  t.match(await ask(), { status: '400', suberror: 'admin_consent_required' }, 'a request is no consent')

  const admin = await openPage()
  await admin.goto(`${program.baseUrl}/consent-requests`)
  await signIn(admin, 'ada')
  await admin.waitForSelector('.request')
  await look(admin, 'consent-requests')
  await admin.click('[id^="approve-"]')
  await admin.waitForSelector('#done')
  await look(admin, 'consent-requests-decided')
  await member.goto(`${program.baseUrl}/consent-requests`)
  await member.waitForSelector('#own .tag.good')
  await look(member, 'consent-requests-member')

  const token = (await ask())['access_token'] ?? ''
  const me = () => call(program, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } })
  t.equal((await me()).status, 200, 'the token is issued, and works')

  await admin.goto(`${program.baseUrl}/account/apps`)
  await admin.waitForSelector('[id^="everybody-"]')
  await look(admin, 'apps-administrator')
  await admin.click(`[id^="everybody-${applicationId}"]`)
  await admin.click('#withdraw')
  await look(admin, 'apps-administrator-question')
  await admin.click('#confirm')
  await admin.waitForSelector('#done')
  await look(admin, 'apps-administrator-withdrawn')
  t.equal((await me()).status, 401)
  t.match(await ask(), { status: '400', suberror: 'admin_consent_required' })
  t.same(
    await consents
      .list({ applicationId, tenantId: undefined, userId: undefined })
      .then((list) => list.flatMap((one) => one.permissions)),
    [],
  )

  await admin.goto(`${program.baseUrl}/portal/audit?application=${applicationId}`)
  await look(admin, 'audit-consent')
  for (const word of ['requested', 'granted', 'withdrawn'])
    t.match(await admin.textContent('main'), new RegExp(`Admin consent ${word}`))
  const audit = await portcullis(program, ['audit', 'list', '--app', applicationId, '--output', 'json'])
  const events = (JSON.parse(audit.stdout).value as { event: string }[]).reverse()
  const about = { tenantId, applicationId }
  const by = ({ userId }: { userId: string }) => ({ kind: 'user', userId })
  const ids = requested.map(({ id }) => id).sort()
  const idsOf = (list: { id: string }[] | undefined) => list?.map(({ id }) => id).sort()
  const story = events.filter(({ event }) => event.startsWith('admin-consent.')) as never as Record<string, never>[]
  t.match(story, [
    { event: 'admin-consent.requested', actor: by(mia), ...about },
    { event: 'admin-consent.granted', actor: by(ada), ...about },
    { event: 'admin-consent.withdrawn', actor: by(ada), ...about },
  ])
  const differences = story.map(({ details = {} }) => details as Record<string, { id: string }[]>)
  t.same(idsOf(differences[0]?.['permissions']), ids, 'each step with its difference')
  t.same([idsOf(differences[1]?.['added']), idsOf(differences[1]?.['removed'])], [ids, []])
  t.same(idsOf(differences[2]?.['removed']), ids)
  for (const name of looked.flatMap((name) => [`${name}-light`, `${name}-dark`]))
    t.ok(statSync(pictureFile(name)).size > 1_000, pictureFile(name))
})

t.test('C4 an administrator grants, and is sent to the registered address', async (t) => {
  const { program, tenantId, manage, openPage, signIn } = testApp
  const { uri, brought } = await listen(t)
  const { applicationId } = await manage.createApplication({
    ...{ name: 'Fabrikam Reports', type: 'web', publisher: 'Fabrikam GmbH', verified: true, tenantId },
    ...{
      adminConsentRedirectUris: [uri],
      permissions: [asItself('assets_read'), delegated('User.Read'), delegated('assets_delete')],
    },
  })
  const query = new URLSearchParams({ client_id: applicationId, redirect_uri: uri, state: 'a+b c' })
  const page = await openPage()
  await page.goto(`${program.baseUrl}/api/v2/oauth2/v2.0/adminconsent?${query}`)
  await signIn(page, 'ada')
  await page.waitForSelector('#grant')
  t.same(await inspectPage(page, 'admin-consent'), [])
  await page.click('#grant')
  await page.waitForURL(`${uri}?**`)
  t.match(Object.fromEntries(brought[0] ?? []), { admin_consent: 'True', tenant: tenantId, state: 'a+b c' })
  await page.goto(`${program.baseUrl}/api/v2/oauth2/v2.0/adminconsent?${query}`)
  await page.click('#decline')
  await page.waitForURL(`${uri}?**error=access_denied**`)
})

t.test(
  'an administrator of two organisations chooses one, and ends at a page where no address was named',
  async (t) => {
    const { program, manage, people, openPage, signIn } = testApp
    const { tenantId } = await manage.createTenant({ name: 'Fabrikam' })
    await people.putMembership('ada@contoso.test', tenantId, 'administrator')
    const { applicationId } = await manage.createApplication({
      ...{ name: 'Fabrikam Reports', type: 'web', audience: 'any', tenantId },
      permissions: [asItself('assets_read'), delegated('User.Read')],
    })
    const page = await openPage()
    const query = new URLSearchParams({ client_id: applicationId })
    const ask = () => page.goto(`${program.baseUrl}/api/v2/oauth2/v2.0/adminconsent?${query}`)
    await ask()
    await signIn(page, 'ada')
    await page.waitForSelector('#go-on')
    t.same(await inspectPage(page, 'admin-consent-choose'), [])
    await page.click('#go-on')
    await page.click('#decline')
    await page.waitForSelector('#result')
    t.same(await inspectPage(page, 'admin-consent-declined'), [])
    await ask()
    await page.click('#go-on')
    await page.click('#grant')
    await page.waitForSelector('#result #apps')
    t.same(await inspectPage(page, 'admin-consent-granted'), [])
  },
)

t.test('C4 C5 a person accepts, sees a prompt for more, refuses, and takes it back', async (t) => {
  const { program, tenantId, manage, openPage, signIn } = testApp
  const { uri, brought } = await listen(t)
  const { applicationId } = await manage.createApplication({
    ...{ name: 'Fabrikam Reports', type: 'web', publisher: 'Fabrikam GmbH', verified: true, tenantId },
    ...{ redirectUris: [uri, 'https://reports.fabrikam.example/signed-in'] },
    permissions: [delegated('User.Read'), delegated('User.ReadWrite'), delegated('assets_delete')],
  })
  const authorize = (scope: string, redirect_uri = uri) =>
    `${program.baseUrl}/api/v2/oauth2/v2.0/authorize?${new URLSearchParams({ client_id: applicationId, redirect_uri, scope, response_type: 'code' })}`
  const page = await openPage()
  await page.goto(authorize('User.Read openid profile offline_access', 'https://reports.fabrikam.example/signed-in'))
  await signIn(page, 'mia')
  await page.waitForSelector('#accept')
  t.same(await inspectPage(page, 'consent'), [])

  await page.goto(authorize('User.Read openid profile offline_access'))
  await page.keyboard.press('Tab')
  await page.focus('#accept')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${uri}?**`)
  t.ok(brought[0]?.get('code'), 'the chain of redirects ends at the client')

  await page.goto(authorize('User.Read User.ReadWrite openid email'))
  await page.waitForSelector('#permissions .tag')
  t.same(await inspectPage(page, 'consent-more'), [])
  await page.click('#cancel')
  await page.waitForURL(`${uri}?**error=access_denied**`)

  await page.goto(authorize('assets_delete openid'))
  await page.waitForSelector('#ask')
  t.same(await inspectPage(page, 'consent-administrator'), [])

  await page.goto(`${program.baseUrl}/account/apps`)
  t.same(await inspectPage(page, 'apps'), [])
  await page.click('[id^="withdraw-own-"]')
  await page.waitForSelector('#none')
  t.same(await inspectPage(page, 'apps-none'), [])
  await page.goto(authorize('User.Read openid profile offline_access'))
  await page.waitForSelector('#accept')
})
