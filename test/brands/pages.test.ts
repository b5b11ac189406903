// Whose look the pages have: that of the tenant of the application that sends somebody, and of the tenant that is decided
// about; whose server it is stands on each. What an application says of itself stands beside its name.

import t, { type Test } from 'tap'
import { changeApplicationBrand } from '../../src/directory/brands/application-brand.js'
import { changeTenantBrand, type TenantBrandChanges } from '../../src/directory/brands/tenant-brand.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { jpegFile, pngFile } from '../support/brands/pictures.js'
import { type Shown, textOf } from '../support/browser/scripted-browser.js'
import { delegated, openAuthorize } from '../support/rooms/authorize.js'

const scope = 'User.Read openid'
const acme: TenantBrandChanges = {
  ...{ name: 'Acme Sign-on', accent: '#0b5cad', accentDark: '#8ec5ff', terms: 'https://acme.example/terms' },
  ...{ privacy: 'https://acme.example/privacy', support: 'mailto:help@acme.example' },
  logo: pngFile(64, 32).toString('base64'),
  logoDark: pngFile(64, 32, [], [240, 240, 255]).toString('base64'),
}

async function open(t: Test, options: Parameters<typeof openAuthorize>[1] = {}) {
  const permissions = ['User.Read'].map(delegated)
  const registration = { permissions, consentBy: undefined, ...options?.registration }
  const testApp = await openAuthorize(t, { consented: false, ...options, registration })
  const brand = (tenantId: string, changes: TenantBrandChanges) => changeTenantBrand(testApp.writes, tenantId, changes)
  return { ...testApp, brand }
}

const headOf = ({ body }: Shown) => ({
  name: /<a class="brand"[^>]*>.*?<span>(.*?)<\/span>/s.exec(body)?.[1],
  title: /<title>.*? · (.*?)<\/title>/.exec(body)?.[1],
  logo: /<img class="logo" src="([^"]*)"/.exec(body)?.[1],
  dark: /<source media="\(prefers-color-scheme: dark\)" srcset="([^"]*)"/.exec(body)?.[1],
  styles: /href="\/brand\/([^"]*\.css)"/.exec(body)?.[1],
})
const plain = { name: 'Portcullis', title: 'Portcullis', logo: undefined, dark: undefined, styles: undefined }
const branded = { name: 'Acme Sign-on', logo: /^\/brand\/[0-9a-f]{40}\.png$/, styles: 'a1-0b5cad-8ec5ff.css' }

t.test(
  'C17 the sign-in page looks like the tenant whose application sends somebody, and says whose server it is',
  async (t) => {
    const testApp = await open(t)
    const { tenantId } = testApp.registration
    t.same(headOf(await testApp.browser().open(testApp.address({ scope }))), plain, 'without a brand like the server')
    await testApp.brand(tenantId, acme)
    const browser = testApp.browser()
    const page = await browser.open(testApp.address({ scope }))
    t.match(page.path, /^\/sign-in\?request=/)
    t.match(headOf(page), { ...branded, title: 'Acme Sign-on', dark: /^\/brand\// })
    t.match(textOf(page, 'of-server'), /This page is from\s+Portcullis, at\s+portcullis\.test/)
    t.match(textOf(page, 'brand-links'), /Terms\s*Privacy\s*Support/)
    t.match(page.body, 'href="mailto:help@acme.example"')
    t.notMatch(page.body, /style="|<style/, 'no inline style')
    t.match(String(page.headers['content-security-policy']), "style-src 'self'; img-src 'self' data:")
    const reset = await browser.open(`/reset-password?${page.path.split('?')[1]}`)
    t.match(headOf(reset), branded, 'so does asking for a new password on the way')
    t.same(headOf(await browser.open('/sign-in')), plain, 'the account’s own sign-in is the server’s')
    t.same(headOf(await browser.open('/reset-password?request=x')), plain)
    const gone = await browser.open('/sign-in?request=pcl_rq_x')
    t.same([gone.status, headOf(gone)], [400, plain])
    await changeTenant(testApp.writes, tenantId, { state: 'disabled' })
    t.same(headOf(await testApp.browser().open(page.path)), plain, 'a tenant that is off has no look')
  },
)

t.test('C18 each file of it is kept for ever, is what it says, and loads nothing', async (t) => {
  const testApp = await open(t)
  await testApp.brand(testApp.registration.tenantId, { ...acme, logoDark: jpegFile(40, 40).toString('base64') })
  const page = await testApp.browser().open(testApp.address({ scope }))
  const { logo = '', dark = '', styles } = headOf(page)
  for (const [path, type] of [
    [logo, 'image/png'],
    [dark, 'image/jpeg'],
    [`/brand/${styles}`, 'text/css; charset=utf-8'],
  ] as const) {
    const { statusCode, headers } = await testApp.ask({ method: 'GET', url: path })
    t.equal(statusCode, 200, path)
    t.match(headers, {
      ...{
        'content-type': type,
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
      },
      ...{ 'content-security-policy': "default-src 'none'; sandbox", 'cross-origin-resource-policy': 'same-origin' },
    })
    t.equal(headers['set-cookie'], undefined)
  }
  const unknown = [
    '/brand/x',
    `/brand/${'0'.repeat(40)}.png`,
    `/brand/${'0'.repeat(40)}.svg`,
    '/brand/a1-ffcc00-own.css',
  ]
  for (const url of unknown) t.equal((await testApp.ask({ method: 'GET', url })).statusCode, 404, url)
  t.equal((await testApp.ask({ method: 'POST', url: logo })).statusCode, 405)
  await testApp.brand(testApp.registration.tenantId, { logo: null })
  t.equal((await testApp.ask({ method: 'GET', url: logo })).statusCode, 404, 'gone with its brand')
})

t.test('two tenants with one logo have two addresses: nobody tries who is here', async (t) => {
  const testApp = await open(t)
  const other = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const logo = pngFile(32, 32).toString('base64')
  for (const tenantId of [testApp.registration.tenantId, other.tenantId]) await testApp.brand(tenantId, { logo })
  const rows = await testApp.store.reader.selectFrom('brand_logos').select('digest').execute()
  t.equal(new Set(rows.map(({ digest }) => digest)).size, 2)
})

t.test('consent looks like the tenant that is decided about, not like the one whose application asks', async (t) => {
  const testApp = await open(t, { registration: { audience: 'any' } })
  await testApp.brand(testApp.registration.tenantId, acme)
  const own = await (await testApp.signedIn()).open(testApp.address({ scope }))
  t.match([own.path, headOf(own)], [/^\/consent/, branded], 'its own people see its own look')
  const home = await createTenant(testApp.writes, { name: 'Fabrikam' })
  await changeTenant(testApp.writes, home.tenantId, { userConsent: 'allowed' })
  await addMembership(testApp.deps.users, { userId: testApp.user.userId, tenantId: home.tenantId, role: 'member' })
  await testApp.brand(home.tenantId, { accent: '#7a1f5c' })
  const elsewhere = await (await testApp.signedIn()).open(
    testApp.address({ scope, requested_enrollment: home.tenantId }),
  )
  t.match(
    [elsewhere.path, headOf(elsewhere)],
    [/^\/consent/, { name: 'Fabrikam', styles: 'a1-7a1f5c-own.css', logo: undefined }],
  )
})

t.test('an application’s logo and links stand beside its name as its own words, and change nothing else', async (t) => {
  const testApp = await open(t)
  await changeApplicationBrand(testApp.writes, testApp.registration.applicationId, {
    ...{ home: 'https://app.example/start', terms: 'https://app.example/terms', privacy: null },
    logo: pngFile(48, 48).toString('base64'),
  })
  const page = await (await testApp.signedIn()).open(testApp.address({ scope }))
  t.match(page.path, /^\/consent/)
  t.same(headOf(page), plain, 'the page is the server’s')
  t.match(page.body, /<img class="app-logo" src="\/brand\/[0-9a-f]{40}\.png" width="48" height="48" alt/)
  t.match(textOf(page, 'claimed'), /It says of itself:\s+app\.example\s*Terms/)
  t.match(textOf(page, 'publisher'), /Unverified/, 'what is known of it stays')
  const signIn = await testApp.browser().open(testApp.address({ scope }))
  t.notMatch(signIn.body, 'app-logo', 'nobody types a password below a logo that a developer chose')
})

t.test('the brand of the server is the configuration’s, and every branded page names it', async (t) => {
  const testApp = await open(t, {
    brand: { name: 'Northwind ID', accent: '#14532d', support: 'https://help.example/' },
  })
  const page = await testApp.browser().open('/sign-in')
  t.match(headOf(page), { name: 'Northwind ID', title: 'Northwind ID', styles: 'a1-14532d-own.css' })
  t.match(textOf(page, 'brand-links'), /^\s*Support\s*$/)
  t.notMatch(page.body, 'of-server')
  await t.rejects(testApp.brand(testApp.registration.tenantId, { name: 'Northwind ID' }), { code: 'NameReserved' })
  await testApp.brand(testApp.registration.tenantId, acme)
  const tenant = await testApp.browser().open(testApp.address({ scope }))
  t.match(textOf(tenant, 'of-server'), /from\s+Northwind ID, at/)
})

t.test('what a brand leaves empty is the server’s: its colours, each for itself; no logo and no links', async (t) => {
  const testApp = await open(t)
  const { tenantId } = testApp.registration
  const { settings } = testApp.deps
  const links = { terms: 'https://server.example/terms', support: 'mailto:help@server.example' }
  settings.brand = { ...settings.brand, accent: '#14532d', accentDark: '#86efac', ...links }
  const page = () => testApp.browser().open(testApp.address({ scope }))
  await testApp.brand(tenantId, { name: 'Acme Sign-on' })
  const shown = await page()
  t.match(headOf(shown), { name: 'Acme Sign-on', logo: undefined, styles: 'a1-14532d-86efac.css' })
  t.notMatch(shown.body, 'server.example', 'links of the server are no words of the tenant')
  await testApp.brand(tenantId, { accent: '#0b5cad' })
  t.equal(headOf(await page()).styles, 'a1-0b5cad-86efac.css')
  settings.brand = { ...settings.brand, accent: undefined, accentDark: undefined }
  t.equal(headOf(await page()).styles, 'a1-0b5cad-own.css')
})

t.test('C17 a tenant whose name was free before the server took it does not pass for the server', async (t) => {
  const testApp = await open(t)
  const { tenantId } = testApp.registration
  const head = async () => headOf(await testApp.browser().open(testApp.address({ scope })))
  await testApp.brand(tenantId, acme)
  const { brand } = testApp.deps.settings
  testApp.deps.settings.brand = { ...brand, name: 'ACME Sign-on' }
  t.match(await head(), { name: 'Contoso', logo: branded.logo }, 'its brand says the server’s name: its own is shown')
  testApp.deps.settings.brand = { ...brand, name: 'C\u043entoso' }
  t.match(await head(), { name: 'Acme Sign-on' })
  await testApp.brand(tenantId, { name: null })
  t.match(await head(), { name: 'C\u043entoso', logo: undefined, styles: undefined }, 'nothing but the server’s look')
})

t.test(
  'before an administrator chose an organisation, and where none is decided about, the page is the server’s',
  async (t) => {
    const testApp = await open(t, { registration: { audience: 'any', permissions: [delegated('User.Read')] } })
    const { registration } = testApp
    await testApp.brand(registration.tenantId, acme)
    const { userId } = await testApp.person({ role: 'administrator' })
    const { tenantId } = await createTenant(testApp.writes, { name: 'Fabrikam' })
    await addMembership(testApp.deps.users, { userId, tenantId, role: 'owner' })
    const admin = await testApp.signedIn(userId)
    const about = (more: object) =>
      `/api/v2/oauth2/v2.0/adminconsent?${new URLSearchParams({ client_id: registration.applicationId, ...more })}`
    const choice = await admin.open(about({}))
    t.match([choice.body, headOf(choice)], [/For which organisation\?/, plain])
    const refused = await admin.open(about({ tenant: 'x' }))
    t.same(headOf(refused), plain, refused.path)
    t.match(
      headOf(await admin.open(about({ tenant: registration.tenantId }))),
      branded,
      'its own once it is decided about',
    )
  },
)
