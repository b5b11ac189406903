// The ways of a new person in each language, in a browser that likes it: invited, with a second step and a passkey, where
// they are signed in, what they allow and ask an administrator for, a lost password, too many tries; and the first owner.
// full: a browser and a program, minutes
// run: apart

import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { managementCalls } from '../../src/cli/calls/management-calls.js'
import { peopleCalls } from '../../src/cli/calls/people-calls.js'
import { type Language, languages } from '../../src/languages/language.js'
import { textsIn } from '../../src/languages/texts.js'
import { startBrowser } from '../support/browser/browser.js'
import { isWhollyIn } from '../support/browser/wholly-in-language.js'
import { plantLink, plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, startProgram } from '../support/programs/program.js'

const password = 'seven unrelated green words'
const known = 'passwordpassword'
const back = 'https://app.test/back'
const authority = '/api/v2/oauth2/v2.0'
/** What readers of each language expect: the sentence of User.Read, and times, with or without a script. */
const expected: Readonly<Partial<Record<Language, { reads: string; time: RegExp }>>> = {
  de: { reads: 'Das Profil der angemeldeten Person lesen', time: /^\d\d\.\d\d\.\d{4}, \d\d:\d\d(?: UTC)?$/ },
  fr: { reads: 'Lire le profil de la personne connectée', time: /^\d{1,2} \p{L}+\.? \d{4}, \d\d:\d\d(?: UTC)?$/u },
  es: {
    reads: 'Leer el perfil de la persona que ha iniciado sesión',
    time: /^\d{1,2} \p{L}+ \d{4}, \d{1,2}:\d\d(?: UTC)?$/u,
  },
  ja: { reads: 'サインインしている人のプロフィールを読み取ります', time: /^\d{4}\/\d\d\/\d\d \d{1,2}:\d\d(?: UTC)?$/ },
}
/** The sentence of User.ReadWrite, which nobody translated. */
const written = 'Read and change the profile of the signed-in user'
const others = languages.filter((each) => each !== 'en')

let program: Program
let browser: Browser
let tenantId = ''

t.setTimeout(590_000)
t.before(async () => {
  program = await startProgram({ cwd: t.testdir() })
  browser = await startBrowser()
})
t.teardown(async () => {
  await browser?.close()
  await program?.stop()
})

t.test('the first owner', async (t) => {
  const link = await plantSetUpLink(program)
  for (const language of others) {
    const { page, looks } = await open(t, language)
    await page.goto(link)
    await looks('set-up')
    await fill(page, { name: 'Ada', email: 'ada@contoso.test', password: known })
    await page.click('#create-account')
    await looks('set-up-refused')
    if (language !== others.at(-1)) continue
    await page.fill('#password', password)
    await page.click('#create-account')
    await page.waitForURL(/\/portal/)
  }
  const [tenant] = await calls().manage.listTenants()
  tenantId = tenant?.tenantId ?? ''
})

for (const language of others) {
  t.test(`${language}: invited, then with a second step and a passkey`, async (t) => {
    const { page, context, looks } = await open(t, language)
    const email = emailIn(language)
    await page.goto(await plantLink(program, { purpose: 'invitation', email, role: 'member' }))
    await looks('invitation')
    await fill(page, { name: '山田 花子', password: known })
    await page.click('#accept')
    await looks('invitation-refused')
    await page.fill('#password', password)
    await page.click('#accept')
    await page.waitForURL(/\/account$/)
    await looks('invited')
    await page.goto('/account/sessions')
    await looks('sessions')
    await saysTimes(t, page, language)
    await page.goto('/account/second-factor')
    const seed = ((await page.textContent('#seed')) ?? '').replaceAll(' ', '')
    await page.fill('#code', '000000')
    await page.click('#turn-on')
    await looks('second-factor-wrong')
    await page.fill('#code', new TOTP({ secret: Secret.fromBase32(seed) }).generate())
    await page.click('#turn-on')
    await page.waitForSelector('#recovery-codes')
    const [recoveryCode = ''] = await page.locator('#recovery-codes li').allTextContents()
    await looks('recovery-codes')
    await page.goto('/account/second-factor')
    await looks('second-factor-is-on')
    await signOut(page, looks)
    await page.goto('/sign-in')
    await signIn(page, email, `${password}!`)
    await looks('sign-in-wrong')
    await signIn(page, email)
    await looks('second-step')
    await page.fill('#code', '000000')
    await page.click('#confirm-code')
    await looks('second-step-wrong')
    await page.click('#use-recovery-code')
    await page.fill('#recovery_code', recoveryCode)
    await page.click('#confirm-recovery-code')
    await page.waitForURL(/\/account$/)
    await virtualAuthenticator(context, page)
    await page.goto('/account/passkeys')
    await page.click('#add-passkey')
    await page.waitForURL(/done=passkey$/)
    await looks('passkey-made')
    await saysTimes(t, page, language)
    await page.goto('/sign-out')
    await page.click('#sign-out-now')
    await page.goto('/sign-in')
    await page.waitForURL(/\/account$/)
  })

  t.test(`${language}: what applications are allowed to do is said, and an administrator is called`, async (t) => {
    const { manage, people } = calls()
    const [member, administrator] = [`mia-${language}@contoso.test`, `boss-${language}@contoso.test`]
    await people.createUser({ name: 'Mia', email: member, password, tenantId, role: 'member' })
    await people.createUser({ name: 'Max', email: administrator, password, tenantId, role: 'administrator' })
    const permissions = ['User.Read', 'User.ReadWrite'].map((id) => ({ kind: 'delegated' as const, id }))
    const all = [...permissions, { kind: 'application' as const, id: 'User.Read.All' }]
    const own = { redirectUris: [back], adminConsentRedirectUris: [back], requirePkce: false, tenantId }
    const web = await manage.createApplication({ ...own, name: 'Fabrikam', type: 'web', permissions: all })
    const direct = await manage.createApplication({ ...own, name: 'Tailspin', type: 'web', permissions: all })
    const screen = await manage.createApplication({ name: 'Contoso', type: 'native', tenantId, permissions })
    const { page, looks } = await open(t, language)
    const scope = 'openid User.Read User.ReadWrite'
    const form = { response_type: 'code', client_id: web.applicationId, redirect_uri: back, scope, state: 's' }
    await page.goto(`${authority}/authorize?${new URLSearchParams(form)}`)
    await signIn(page, member)
    await page.waitForSelector('#accept')
    await saysPermissions(t, page, language, 'consent')
    t.match(await leaving(page, '#accept'), /\bcode=/)
    const device = { client_id: screen.applicationId, scope: 'User.Read User.ReadWrite' }
    const code = await (await page.request.post(`${authority}/devicecode`, { form: device })).json()
    await page.goto(`/device?user_code=${code.user_code}`)
    if ((await page.locator('#go-on').count()) > 0) await page.click('#go-on')
    await page.waitForSelector('#allow')
    await saysPermissions(t, page, language, 'device')
    await page.goto('/account/apps')
    await looks('apps')
    await saysTimes(t, page, language)
    await saysPermissions(t, page, language, 'apps')

    await page.goto(`${authority}/adminconsent?client_id=${web.applicationId}`)
    await page.waitForSelector('#ask')
    await looks('administrator-needed')
    await saysPermissions(t, page, language, 'administrator needed')
    await page.fill('#reason', 'Q4')
    await page.click('#ask')
    await page.waitForSelector('#request-state')
    await looks('administrator-requested')
    await page.goto('/consent-requests')
    await looks('own-requests')

    const boss = await open(t, language)
    await boss.page.goto('/consent-requests')
    await signIn(boss.page, administrator)
    await boss.page.waitForSelector('.request')
    await boss.looks('requests')
    await saysTimes(t, boss.page, language)
    await boss.page.click('[id^="approve-"]')
    await boss.page.waitForSelector('#done')
    await boss.looks('requests-decided')
    const query = new URLSearchParams({ client_id: direct.applicationId, redirect_uri: back })
    await boss.page.goto(`${authority}/adminconsent?${query}`)
    await boss.page.waitForSelector('#grant')
    await boss.looks('admin-consent')
    await saysPermissions(t, boss.page, language, 'admin consent')
    t.match(await leaving(boss.page, '#grant'), /\badmin_consent=True\b/)
    await boss.page.goto('/account/apps')
    await boss.looks('apps-administrator')
  })

  t.test(`${language}: too many tries, and a new password by its link`, async (t) => {
    const { page, looks } = await open(t, language)
    await page.goto('/sign-in')
    const { title } = textsIn(language).errors.tooManyAttempts
    for (let tries = 0; tries < 20 && (await page.textContent('h1')) !== title; tries++)
      await signIn(page, `nobody-${language}@contoso.test`)
    t.equal(await page.textContent('h1'), title)
    await looks('too-many')
    await page.goto('/reset-password')
    await looks('reset')
    await page.goto(await plantLink(program, { purpose: 'password-reset', forEmail: emailIn(language) }))
    await looks('new-password')
    await page.fill('#password', known)
    await page.click('#set-password')
    await looks('new-password-refused')
    await page.fill('#password', `${password} again`)
    await page.click('#set-password')
    await page.waitForSelector('#sign-in-now')
    await looks('new-password-set')
  })
}

type Looks = (name: string) => Promise<void>

/** A page of a browser that likes this language. */
async function open(t: Test, language: Language) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: language, baseURL: program.baseUrl })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const looks: Looks = (name) => isWhollyIn(t, page, language, name)
  return { page, context, looks }
}

function calls() {
  const client = createLocalClient(join(program.folder, 'admin.sock'))
  return { manage: managementCalls(client), people: peopleCalls(client) }
}

const emailIn = (language: Language) => `new-${language}@contoso.test`

async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, value] of Object.entries(values)) await page.fill(`#${id}`, value)
}

async function signIn(page: Page, email: string, entered = password): Promise<void> {
  await fill(page, { email, password: entered })
  await page.click('#sign-in')
  await page.waitForLoadState()
}

/** The address of the application that a press of this button leads to. There is nobody at it. */
async function leaving(page: Page, button: string): Promise<string> {
  const request = page.waitForRequest((each) => each.url().startsWith(back))
  await page.click(button)
  const url = (await request).url()
  await page.waitForURL(/^chrome-error:/).catch(() => undefined)
  return url
}

async function signOut(page: Page, looks: Looks): Promise<void> {
  await page.goto('/sign-out')
  await looks('sign-out')
  await page.click('#sign-out-now')
  await looks('signed-out-here')
}

/** There are times on the page, written as readers of the language write them. */
async function saysTimes(t: Test, page: Page, language: Language): Promise<void> {
  const times = await page.locator('time').allTextContents()
  t.ok(times.length > 0)
  for (const time of times) t.match(time, expected[language]?.time)
}

/** One permission in the language of the page, and the other as it was written, which says its language. */
async function saysPermissions(t: Test, page: Page, language: Language, where: string): Promise<void> {
  const line = (id: string) => page.locator('.permissions li', { has: page.locator(`code:text-is("${id}")`) }).first()
  const said = line('User.Read').locator('p').first()
  t.match(await said.textContent(), expected[language]?.reads, where)
  t.equal(await said.locator('[lang]').count(), 0, `${where}: in the language of the page`)
  t.equal(await line('User.ReadWrite').locator('[lang=en]').textContent(), written, where)
}

async function virtualAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}
