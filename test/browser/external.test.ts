// Signing in through other providers, in a real browser against running servers: a second Portcullis, and oidc-provider
// from npm. It works for who is new and for who is linked; a wrong issuer, a replayed state, an unknown account and a
// provider that is down lead to pages that help. Each page of ours is looked at in light and dark, at 320 px, and by
// axe.
// full: a browser, a program and other providers, half a minute
// run: apart

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from 'openid-client'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { managementCalls } from '../../src/cli/calls/management-calls.js'
import { peopleCalls } from '../../src/cli/calls/people-calls.js'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { startBrowser } from '../support/browser/browser.js'
import { inspectPage } from '../support/browser/pages.js'
import { startWithPeople } from '../support/programs/people-program.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { freePort, type Program, startProgram } from '../support/programs/program.js'
import { trustingFetch } from '../support/programs/trusting-fetch.js'
import { type ExternalProvider, startExternalProvider } from '../support/providers/external-provider.js'
import { until } from '../support/traffic/until.js'

t.setTimeout(180_000)

const grace = { name: 'Grace Hopper', email: 'grace@front.test', password: 'nine quiet purple lanterns' }
// A socket's path has room for 103 bytes.
const cwd = mkdtempSync(join(tmpdir(), 'pcl-'))
t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
const ports = { public: await freePort(), operator: await freePort() }
// By its address and not by name: cookies do not know ports, so two servers of one host would end each other's
// sessions.
const baseUrl = `https://127.0.0.1:${ports.public}`
const env = { PORTCULLIS_BASE_URL: baseUrl }
const callback = (name: string) => `${baseUrl}/sign-in/external/${name}/callback`

const second = await startWithPeople(t)
const provider = await startExternalProvider(t, {
  folder: join(cwd, 'foreign'),
  redirectUris: [callback('foreign'), callback('elsewhere')],
})
const program = await startFrontServer(provider)
const browser: Browser = await startBrowser()
t.teardown(async () => {
  await browser.close()
  await program.stop()
})

/** The server under test. Its first start makes the tenant that its providers name. */
async function startFrontServer({ issuer, clientId, clientSecret, caFile }: ExternalProvider): Promise<Program> {
  const first = await startProgram({ cwd, ports, env })
  const [tenant] = await managementCalls(createLocalClient(join(first.folder, 'admin.sock'))).listTenants()
  await first.stop()
  const made = await second.manage.createApplication({
    ...{ name: 'Front door', type: 'web', redirectUris: [callback('second')], permissions: [] },
  })
  const other = { clientId, clientSecret, ca: `file:${caFile}` }
  const providers = {
    second: {
      ...{ label: 'Second Portcullis', issuer: second.program.baseUrl, ca: `file:${second.program.folder}/tls/ca.pem` },
      ...{ clientId: made.applicationId, clientSecret: made.clientSecret },
      ...{ createUsers: true, tenant: tenant?.tenantId, role: 'developer' },
    },
    foreign: { label: 'Elsewhere ID', issuer, ...other },
    elsewhere: { label: 'Misspelt ID', issuer: `${issuer}/elsewhere`, ...other },
    down: { label: 'Sleeping ID', issuer: `https://localhost:${await freePort()}`, ...other },
  }
  const text = readFileSync(defaultConfigFile(), 'utf8')
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, text.replace(/^ {2}providers: \{\}$/m, `  providers: ${JSON.stringify(providers)}`))
  return startProgram({ cwd, ports, env, config })
}

async function open(t: { teardown(work: () => unknown): void }) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: baseUrl })
  t.teardown(() => context.close())
  const page = await context.newPage()
  /** Addresses of ours that a provider sent the browser back to. */
  const returns: string[] = []
  page.on('request', (request) => request.url().includes('/callback?') && returns.push(request.url()))
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && message.location().url.startsWith(baseUrl)) problems.push(message.text())
  })
  return { context, page, returns, problems }
}

/** At oidc-provider's own pages. */
async function signInElsewhere(page: Page, login: string): Promise<void> {
  await page.fill('input[name=login]', login)
  await page.fill('input[name=password]', 'anything')
  await page.click('button[type=submit]')
  await page.click('button[type=submit]')
}

function path(page: Page): string {
  return new URL(page.url()).pathname
}

t.test('somebody new from a second Portcullis gets an account, once', async (t) => {
  const { page, returns, problems } = await open(t)
  await page.goto('/sign-in')
  t.same(await inspectPage(page, 'external-sign-in'), [], 'axe')
  await page.click('#provider-second')
  t.equal(new URL(page.url()).origin, second.program.baseUrl)
  await page.fill('#email', second.person.email)
  await page.fill('#password', second.person.password)
  await page.click('#sign-in')
  await page.click('#accept')
  await page.waitForURL(`${baseUrl}/account`)
  t.match(await page.textContent('#details'), second.person.name)
  t.match(await page.textContent('#details'), 'second', 'where the account is from')
  t.match(await page.textContent('body'), 'developer')
  t.match(new URL(returns[0] ?? '').searchParams.get('iss'), second.program.baseUrl)

  await page.goto('/sign-out')
  await page.click('#sign-out-now')
  await page.goto('/account/providers')
  await page.click('#provider-second')
  await page.waitForURL(`${baseUrl}/account/providers`)
  t.match(await page.textContent('#linked'), 'Second Portcullis', 'back where it was begun, as the same person')
  await page.click('#unlink-second')
  t.match(await page.textContent('#what'), /only way you can sign in/)
  t.same(problems, ['Failed to load resource: the server responded with a status of 409 (Conflict)'])
  t.same(await inspectPage(page, 'external-only-way-in'), [], 'axe')
})

t.test('an application gets tokens for a person who comes from a provider; idProvider is in the profile', async (t) => {
  const { page } = await open(t)
  const redirectUri = 'https://app.test/callback'
  const permissions = [{ kind: 'delegated' as const, id: 'User.Read' }]
  const manage = managementCalls(createLocalClient(join(program.folder, 'admin.sock')))
  const made = await manage.createApplication({
    name: 'Diary',
    type: 'web',
    redirectUris: [redirectUri],
    permissions,
  })
  const fetching = trustingFetch(t, program)
  const config = await client.discovery(new URL(baseUrl), made.applicationId, made.clientSecret ?? '', undefined, {
    [client.customFetch]: fetching as unknown as client.CustomFetch,
  })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: 'openid User.Read', code_challenge_method: 'S256' },
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
  })
  await page.goto(url.href)
  t.match(await page.textContent('#application'), 'Diary')
  await page.click('#provider-second')
  await page.fill('#email', second.person.email)
  await page.fill('#password', second.person.password)
  await page.click('#sign-in')
  await page.waitForURL(`${baseUrl}/consent?**`)
  const arriving = page.waitForRequest((request) => request.url().startsWith(redirectUri))
  // Nobody listens at the application's address.
  await page.click('#accept').catch(() => undefined)
  const callbackUrl = new URL((await arriving).url())
  const tokens = await client.authorizationCodeGrant(config, callbackUrl, { pkceCodeVerifier, idTokenExpected: true })
  t.match(tokens.claims(), { acr: '1', amr: ['fed', 'pwd'] })
  const me = await fetching(`${baseUrl}/api/v2/me`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
  t.match(
    await me.json(),
    { idProvider: 'second', email: second.person.email },
    'the second one says that it is verified',
  )

  // A proof is known from the one before by its time, in seconds.
  const provenBy = Math.floor(Date.now() / 1000)
  await until('another second', () => Date.now() / 1000 >= provenBy + 1)
  await page.goto(`${url.href}&prompt=login`)
  t.equal(await page.textContent('h1'), 'Confirm it’s you')
  await page.click('#provider-second')
  t.equal(new URL(page.url()).origin, second.program.baseUrl)
  t.equal(await page.textContent('h1'), 'Confirm it’s you', 'prompted anew there too')
  await page.fill('#password', second.person.password)
  const again = page.waitForRequest((request) => request.url().startsWith(redirectUri))
  await page.click('#sign-in').catch(() => undefined)
  t.match((await again).url(), /[?&]code=/)
})

t.test('an unknown account reads how to link one; linked, it signs in', async (t) => {
  const { page } = await open(t)
  await page.goto('/sign-in/external/foreign')
  await signInElsewhere(page, 'hopper')
  await page.waitForURL(`${callback('foreign')}?**`)
  t.equal(await page.textContent('h1'), 'No account is linked')
  t.match(await page.textContent('#remedy'), /link Elsewhere ID on your account page/)
  t.same(await inspectPage(page, 'external-no-account'), [], 'axe')

  await page.goto(await plantSetUpLink(program))
  for (const [name, value] of Object.entries(grace)) await page.fill(`#${name}`, value)
  await page.click('#create-account')
  t.equal(path(page), '/portal')
  await page.goto(`${baseUrl}/account`)
  t.same(await inspectPage(page, 'external-account'), [], 'axe')
  await page.click('#providers-link')
  t.same(await inspectPage(page, 'external-linked-providers'), [], 'axe')
  await page.click('#link-foreign')
  t.same(await inspectPage(page, 'external-go-there'), [], 'axe')
  await page.click('#go-there')
  await page.waitForURL(`${baseUrl}/account/providers?done=provider-linked`)
  t.match(await page.textContent('#linked'), /Elsewhere ID/)
  t.match(await page.textContent('#done'), /linked/)

  await page.goto('/sign-out')
  await page.click('#sign-out-now')
  await page.goto('/sign-in')
  await page.click('#provider-foreign')
  await page.waitForURL(`${baseUrl}/account`)
  t.match(await page.textContent('#details'), grace.name)
  t.match(await page.textContent('#details'), grace.email, 'the address here, not the one there')
})

t.test('R17: a replayed state, and one of another browser', async (t) => {
  const { page, returns } = await open(t)
  await page.goto('/sign-in/external/foreign')
  await signInElsewhere(page, 'hopper')
  await page.waitForURL(`${baseUrl}/account`)
  await page.goto(returns[0] ?? '')
  t.equal(await page.textContent('h1'), 'This sign-in has expired')
  t.same(await inspectPage(page, 'external-ended'), [], 'axe')
  await page.click('#go-on')
  t.equal(path(page), '/sign-in')
  const other = await open(t)
  await other.page.goto('/sign-in')
  await other.page.goto(returns[0] ?? '')
  t.equal(await other.page.textContent('h1'), 'This sign-in has expired')
})

t.test('a wrong issuer, in the answer (RFC 9207) and in the configuration', async (t) => {
  const { page } = await open(t)
  provider.saysIssuer = second.program.baseUrl
  await page.goto('/sign-in/external/foreign')
  await signInElsewhere(page, 'hopper')
  await page.waitForURL(`${callback('foreign')}?**`)
  provider.saysIssuer = undefined
  t.equal(await page.textContent('h1'), 'We could not verify the answer of Elsewhere ID')
  t.same(await inspectPage(page, 'external-not-accepted'), [], 'axe')
  await page.goto('/account')
  t.equal(path(page), '/sign-in', 'nobody is signed in')
  await page.click('#provider-elsewhere')
  t.equal(await page.textContent('h1'), 'We could not verify the answer of Misspelt ID')
})

t.test('a provider that is down: a page, and the password form a click away', async (t) => {
  const { page } = await open(t)
  await page.goto('/account/details')
  await page.click('#provider-down')
  t.equal(await page.textContent('h1'), 'Sleeping ID cannot be reached')
  t.same(await inspectPage(page, 'external-down'), [], 'axe')
  await page.click('#go-on')
  await page.fill('#email', grace.email)
  await page.fill('#password', grace.password)
  await page.click('#sign-in')
  t.equal(path(page), '/account/details', 'back where it was begun')
})

t.test('an administrator’s link says who somebody is at a provider', async (t) => {
  const { page, context } = await open(t)
  const local = createLocalClient(join(program.folder, 'admin.sock'))
  const [tenant] = await managementCalls(local).listTenants()
  const given = { tenantId: tenant?.tenantId ?? '', email: 'ada@elsewhere.test' }
  const link = new URL((await peopleCalls(local).linkProvider(grace.email, given)).url ?? '')
  await page.goto(link.pathname)
  t.equal(path(page), '/sign-in', 'signed in first')
  await page.fill('#email', grace.email)
  await page.fill('#password', grace.password)
  await page.click('#sign-in')
  t.equal(path(page), link.pathname)
  t.match(await page.textContent('main'), /ada@elsewhere\.test/)
  t.same(await inspectPage(page, 'external-administrators-link'), [], 'axe')
  await page.click('#choose-foreign')
  await page.click('#go-there')
  await signInElsewhere(page, 'eve')
  await page.waitForURL(`${callback('foreign')}?**`)
  t.same(await inspectPage(page, 'external-another-address'), [], 'axe, and nothing is linked')
  await context.clearCookies({ domain: 'localhost' })
  await page.goto(link.pathname)
  await page.click('#choose-foreign')
  await page.click('#go-there')
  await signInElsewhere(page, 'ada')
  await page.waitForURL(`${baseUrl}/account/providers?done=provider-linked`)
  t.match(await page.textContent('#linked'), /Elsewhere ID/)
})

t.test('X5 neither codes nor states nor secrets of all this are in the log', async (t) => {
  t.notMatch(program.output(), /pcl_ac_|pcl_rq_|eyJ|a secret of the other side|code=/)
})
