// Brands through the management API: what is taken and what refused, who may, and what the ledger says of it.

import t, { type Test } from 'tap'
import { findTenantBrand } from '../../src/directory/brands/tenant-brand.js'
import type { Presented } from '../../src/management/dependencies.js'
import { putTenantBrand, readTenantBrand } from '../../src/storage/sql/registrations/brands/tenant-brands.js'
import { pngFile, webpFile } from '../support/brands/pictures.js'
import { atPortal, openWorld, withToken } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

async function open(t: Test) {
  const world = await openWorld(await openManagement(t))
  const { testApp, tenantA } = world
  testApp.caller.principal = { kind: 'local' }
  const made = await testApp.manage('POST', '/applications', { name: 'diary', type: 'web', tenantId: tenantA })
  const tenant = `/tenants/${tenantA}/brand`
  const application = `/applications/${made.json().applicationId}/brand`
  const as = (who: Presented) => {
    testApp.caller.principal = who
    return testApp
  }
  return { ...world, tenant, application, as }
}

const brandEvents = async (testApp: Awaited<ReturnType<typeof open>>['testApp'], event: string) =>
  (await testApp.store.reader.selectFrom('ledger').selectAll().where('event', '=', event).execute()).map(
    ({ details }) => JSON.parse(details),
  )

t.test('a tenant says name, colours, links and logos; what it does not say is the server’s', async (t) => {
  const { testApp, tenant, tenantA } = await open(t)
  const before = (await testApp.manage('GET', tenant)).json()
  t.match(before, { tenantId: tenantA, name: '', accent: '', terms: '', logo: null, logoDark: null })
  t.not(before.shownName, '', 'its pages are headed with the tenant’s name')
  const logo = pngFile(64, 32).toString('base64')
  const said = {
    ...{ name: 'Acme Sign-on', accent: '#0B5CAD', accentDark: '#8ec5ff', terms: 'https://acme.example/terms' },
    ...{ privacy: 'https://acme.example/privacy', support: 'mailto:help@acme.example', logo },
  }
  const changed = await testApp.manage('PATCH', tenant, said)
  t.equal(changed.statusCode, 200, changed.body)
  t.match(changed.json(), {
    ...{ name: 'Acme Sign-on', shownName: 'Acme Sign-on', accent: '#0b5cad', accentDark: '#8ec5ff' },
    ...{ support: 'mailto:help@acme.example', logoDark: null },
    logo: { path: /^\/brand\/[0-9a-f]{40}\.png$/, type: 'image/png', width: 64, height: 32 },
  })
  t.notMatch(changed.body, logo.slice(30, 90), 'the picture itself is at its address')
  const some = await testApp.manage('PATCH', tenant, { accent: null, terms: '', logo: null, logoDark: webp() })
  t.match(some.json(), { name: 'Acme Sign-on', accent: '', terms: '', logo: null, logoDark: { type: 'image/webp' } })
  t.match(await brandEvents(testApp, 'tenant.brand-changed'), [
    { name: { before: '', after: 'Acme Sign-on' }, logo: { before: '', after: /^\/brand\// } },
    { accent: { before: '#0b5cad', after: '' }, logo: { before: /^\/brand\//, after: '' } },
  ])
  await testApp.manage('PATCH', tenant, { name: 'Acme Sign-on' })
  t.equal((await brandEvents(testApp, 'tenant.brand-changed')).length, 2, 'what changes nothing is not noted')
  t.equal((await testApp.manage('DELETE', tenant)).statusCode, 204)
  t.same((await testApp.manage('GET', tenant)).json(), before)
  t.equal((await testApp.manage('DELETE', tenant)).statusCode, 204, 'taking away nothing is no mistake')
  const pictures = await testApp.store.reader.selectFrom('brand_logos').selectAll().execute()
  t.same(pictures, [], 'its pictures are gone')
})

const webp = () => webpFile(40, 24).toString('base64')

t.test('a tenant that says nothing in all fields has no brand', async (t) => {
  const { testApp, tenant, tenantA } = await open(t)
  const nothing = { name: '', accent: '', accentDark: '', terms: '', privacy: '', support: '', logo: null }
  t.equal((await testApp.manage('PATCH', tenant, nothing)).statusCode, 200)
  t.equal(await readTenantBrand(testApp.store.reader, tenantA), undefined, 'nothing is kept')
  t.equal((await testApp.manage('PATCH', tenant, { accent: '#0b5cad' })).statusCode, 200)
  t.equal((await testApp.manage('PATCH', tenant, nothing)).statusCode, 200)
  t.equal(await readTenantBrand(testApp.store.reader, tenantA), undefined, 'nor what was said before')
  t.match(await brandEvents(testApp, 'tenant.brand-changed'), [
    { accent: { before: '', after: '#0b5cad' } },
    { accent: { before: '#0b5cad', after: '' } },
  ])
  t.equal(await findTenantBrand(testApp.store.reader, tenantA), undefined)
  const row = { tenant_id: tenantA, name: '', accent: '', accent_dark: '', terms: '', privacy: '', support: '' }
  await testApp.feed.commit((tx) => putTenantBrand(tx, { ...row, updated_at: 0 }))
  t.equal(await findTenantBrand(testApp.store.reader, tenantA), undefined, 'nor is an empty row of before one')
})

t.test('an address as it is kept is taken again', async (t) => {
  const { testApp, tenant } = await open(t)
  const long = `https://acme.example/${'規'.repeat(60)}`
  t.match(refusal(await testApp.manage('PATCH', tenant, { terms: long })), {
    ...{ status: 400, code: 'InvalidLink', target: 'terms' },
    message: /at most 512 characters long, written as 561 characters of ASCII\./,
  })
  t.match(refusal(await testApp.manage('PATCH', tenant, { support: 'mailto:hälp@acme.example' })), {
    ...{ status: 400, code: 'InvalidLink', target: 'support' },
  })
  const said = { terms: `https://日本.example/${'規'.repeat(50)}`, support: 'MAILTO:help@acme.example' }
  const { terms, support } = (await testApp.manage('PATCH', tenant, said)).json()
  const again = await testApp.manage('PATCH', tenant, { terms, support })
  t.match([again.statusCode, again.json()], [200, { terms, support }])
})

t.test('of what is wrong nothing is taken, and the refusal says which field and why', async (t) => {
  const { testApp, tenant, application, tenantA } = await open(t)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')
  const rows: readonly (readonly [string, object, string, RegExp])[] = [
    [
      tenant,
      { accent: '#ffcc00' },
      'LowContrast',
      /has a contrast of 1\.\d+:1 .* needs 4\.5:1\. .* nearest .* is #[0-9a-f]{6}\./,
    ],
    [tenant, { accentDark: '#333333' }, 'LowContrast', /dark pages has a contrast/],
    [tenant, { accent: 'red;}body{display:none' }, 'InvalidColour', /#rrggbb/],
    [tenant, { terms: 'javascript:alert(1)' }, 'InvalidLink', /https/],
    [tenant, { support: 'mailto:a@b.example?bcc=c@d.example' }, 'InvalidLink', /one address/],
    [tenant, { logo: svg }, 'InvalidLogo', /SVG is not taken/],
    [tenant, { logo: 'not base64' }, 'InvalidLogo', /base64/],
    [tenant, { logoDark: pngFile(4000, 4000).toString('base64') }, 'InvalidLogo', /4000 × 4000/],
    [tenant, { name: 'Portcullis' }, 'NameReserved', /./],
    [application, { home: 'http://app.example' }, 'InvalidLink', /https/],
    [application, { privacy: 'data:text/html,x' }, 'InvalidLink', /https/],
    [application, { logo: svg }, 'InvalidLogo', /SVG/],
  ]
  for (const [path, body, code, why] of rows) {
    const answer = refusal(await testApp.manage('PATCH', path, { terms: 'https://acme.example/terms', ...body }))
    t.match(answer, { status: 400, code, target: Object.keys(body)[0] ?? '' }, JSON.stringify(body).slice(0, 60))
    t.match(answer.message, why)
  }
  for (const path of [tenant, application]) {
    t.equal((await testApp.manage('PATCH', path, {})).statusCode, 400, 'nothing to change')
    t.equal((await testApp.manage('PATCH', path, { css: 'x' })).statusCode, 400, 'an unknown field')
    t.equal((await testApp.manage('PATCH', path, { logo: 'A'.repeat(90_000) })).statusCode, 400)
  }
  t.equal(await readTenantBrand(testApp.store.reader, tenantA), undefined, 'nothing of it was written')
})

t.test('C17 the pages of a tenant are its administrators’, those of an application its owners’', async (t) => {
  const world = await open(t)
  const { testApp, tenant, application, tenantA, tenantB, a, ownerOfB, operatorOfB, as } = world
  const everything = ['Tenant.ReadWrite.All', 'Tenant.Read.All', 'Application.ReadWrite.All']
  const others = withToken(world, tenantA, everything)
  const rows: readonly (readonly [string, Presented, number, number])[] = [
    ['an owner', atPortal(a.owner, tenantA), 200, 200],
    ['an administrator', atPortal(a.administrator, tenantA), 200, 200],
    ['a developer who owns nothing', atPortal(a.developer, tenantA), 403, 403],
    ['a member', atPortal(a.member, tenantA), 403, 403],
    ['an owner of another tenant', atPortal(ownerOfB, tenantB), 404, 404],
    ['an operator of another tenant', atPortal(operatorOfB, tenantB), 404, 404],
    ['another application of the tenant', others, 200, 403],
  ]
  for (const [who, caller, ofTenant, ofApplication] of rows) {
    as(caller)
    t.equal((await testApp.manage('PATCH', tenant, { accent: '#0b5cad' })).statusCode, ofTenant, `${who}: tenant`)
    const answer = await testApp.manage('PATCH', application, { home: 'https://app.example' })
    t.equal(answer.statusCode, ofApplication, `${who}: application`)
  }
  as(atPortal(operatorOfB, tenantB))
  t.equal((await testApp.manage('DELETE', tenant)).statusCode, 204, 'an operator takes away what imitates another')
})

t.test('two who change the brand of a tenant at once hear of each other', async (t) => {
  const { testApp, tenant } = await open(t)
  const first = await testApp.manage('GET', tenant)
  const tag = String(first.headers['etag'])
  t.equal((await testApp.manage('PATCH', tenant, { accent: '#0b5cad' }, { 'if-match': tag })).statusCode, 200)
  t.equal((await testApp.manage('PATCH', tenant, { accent: '#7a1f5c' }, { 'if-match': tag })).statusCode, 412)
  t.equal((await testApp.manage('DELETE', tenant, undefined, { 'if-match': tag })).statusCode, 412)
})

t.test('two owners who change what an application says at once hear of each other', async (t) => {
  const { testApp, application } = await open(t)
  const first = await testApp.manage('GET', application)
  const tag = { 'if-match': String(first.headers['etag']) }
  t.equal((await testApp.manage('GET', application, undefined, { 'if-none-match': tag['if-match'] })).statusCode, 304)
  const changed = await testApp.manage('PATCH', application, { home: 'https://one.example/' }, tag)
  t.equal(changed.statusCode, 200, changed.body)
  const late = await testApp.manage('PATCH', application, { terms: 'https://two.example/' }, tag)
  t.match(refusal(late), { status: 412, code: 'PreconditionFailed' })
  t.equal((await testApp.manage('DELETE', application, undefined, tag)).statusCode, 412)
  t.match((await testApp.manage('GET', application)).json(), { home: 'https://one.example/', terms: '' })
  const now = { 'if-match': String(changed.headers['etag']) }
  t.equal((await testApp.manage('PATCH', application, { terms: 'https://two.example/' }, now)).statusCode, 200)
  const all = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const seen = { 'if-match': String((await testApp.manage('GET', application)).headers['etag']) }
      return () => testApp.manage('PATCH', application, { home: `https://${name}.example/` }, seen)
    }),
  )
  const statuses = (await Promise.all(all.map((send) => send()))).map(({ statusCode }) => statusCode).sort()
  t.same(statuses, [200, 412, 412], 'of three at the same moment one')
})

t.test('an application that is deleted takes its logo and links along', async (t) => {
  const { testApp, application } = await open(t)
  const logo = pngFile(32, 32).toString('base64')
  const home = 'https://app.example'
  t.match((await testApp.manage('PATCH', application, { home, logo })).json(), {
    home: `${home}/`,
    logo: { width: 32 },
  })
  t.match(await brandEvents(testApp, 'application.brand-changed'), [
    { home: { after: `${home}/` }, logo: { before: '' } },
  ])
  await testApp.manage('DELETE', application.replace('/brand', ''))
  for (const table of ['application_brands', 'brand_logos'] as const) {
    t.same(await testApp.store.reader.selectFrom(table).selectAll().execute(), [], table)
  }
})

t.test('C17 who is verified ends the brands that look like it, and the ledger says why', async (t) => {
  const { testApp, tenant, application, tenantA, tenantB, ownerOfB, as, a } = await open(t)
  const squat = `/tenants/${tenantB}/brand`
  as(atPortal(ownerOfB, tenantB))
  const logo = pngFile(32, 32).toString('base64')
  t.equal((await testApp.manage('PATCH', squat, { name: 'C0ntoso AG', logo })).statusCode, 200, 'nobody’s yet')
  as(atPortal(a.administrator, tenantA))
  t.equal((await testApp.manage('PATCH', tenant, { name: 'Contoso Sign-on' })).statusCode, 200)
  as({ kind: 'local' })
  const verified = { publisher: 'Contoso AG', verified: true }
  const answer = await testApp.manage('PATCH', application.replace('/brand', ''), verified)
  t.equal(answer.statusCode, 200, answer.body)
  t.match((await testApp.manage('GET', squat)).json(), { name: '', shownName: 'Tenant B of the matrix', logo: null })
  t.match((await testApp.manage('GET', tenant)).json(), { name: 'Contoso Sign-on' }, 'its own stays')
  t.match((await brandEvents(testApp, 'tenant.brand-changed')).at(-1), {
    ...{ name: { before: 'C0ntoso AG', after: '' }, reason: /looks like that of .* verified/ },
  })
  as(atPortal(ownerOfB, tenantB))
  for (const name of ['C0ntoso AG', 'Contoso Sign-0n']) {
    t.match(refusal(await testApp.manage('PATCH', squat, { name })), { status: 409 }, `nor again: ${name}`)
  }
})

t.test('C17 another publisher that is verified ends them, too, also where one was verified before', async (t) => {
  const { testApp, application, tenantB, ownerOfB, as } = await open(t)
  const path = application.replace('/brand', '')
  as({ kind: 'local' })
  await testApp.manage('PATCH', path, { publisher: 'Contoso AG', verified: true })
  const squat = `/tenants/${tenantB}/brand`
  as(atPortal(ownerOfB, tenantB))
  t.equal((await testApp.manage('PATCH', squat, { name: 'Fabrikam' })).statusCode, 200, 'nobody’s yet')
  as({ kind: 'local' })
  t.equal((await testApp.manage('PATCH', path, { publisher: 'Fabrikam', verified: true })).statusCode, 200)
  t.match((await testApp.manage('GET', squat)).json(), { name: '' })
})

t.test('C17 a verified tenant that calls itself like another one does not end the brand of that', async (t) => {
  const { testApp, tenant, tenantA, tenantB, application, ownerOfB, as, a } = await open(t)
  const verify = async (path: string) => {
    as({ kind: 'local' })
    const answer = await testApp.manage('PATCH', path, { publisher: 'Contoso AG', verified: true })
    t.equal(answer.statusCode, 200, answer.body)
  }
  as(atPortal(ownerOfB, tenantB))
  const honest = `/tenants/${tenantB}/brand`
  t.equal((await testApp.manage('PATCH', honest, { name: 'Fabrikam', accent: '#0b5cad' })).statusCode, 200)
  as(atPortal(a.administrator, tenantA))
  t.equal((await testApp.manage('PATCH', tenant, { name: 'Fabrikam' })).statusCode, 200, 'pages of the trickster')
  await verify(application.replace('/brand', ''))
  t.match((await testApp.manage('GET', honest)).json(), { name: 'Fabrikam' }, 'the heading is not what was verified')
  as(atPortal(a.owner, tenantA))
  t.equal((await testApp.manage('PATCH', `/tenants/${tenantA}`, { name: 'Fabrikam' })).statusCode, 200, 'itself, too')
  as({ kind: 'local' })
  const next = await testApp.manage('POST', '/applications', { name: 'Next', type: 'web', tenantId: tenantA })
  t.equal(next.statusCode, 201, next.body)
  await verify(`/applications/${next.json<{ applicationId: string }>().applicationId}`)
  t.match((await testApp.manage('GET', honest)).json(), { name: 'Fabrikam', accent: '#0b5cad' })
})

t.test('C17 a tenant that is called like what was verified later has no brand under that name', async (t) => {
  const { testApp, application, tenantB, ownerOfB, as } = await open(t)
  as(atPortal(ownerOfB, tenantB))
  t.equal((await testApp.manage('PATCH', `/tenants/${tenantB}`, { name: 'Contoso' })).statusCode, 200, 'nobody’s yet')
  t.equal((await testApp.manage('PATCH', `/tenants/${tenantB}/brand`, { accent: '#0b5cad' })).statusCode, 200)
  as({ kind: 'local' })
  await testApp.manage('PATCH', application.replace('/brand', ''), { publisher: 'Contoso', verified: true })
  as(atPortal(ownerOfB, tenantB))
  const brand = `/tenants/${tenantB}/brand`
  t.match((await testApp.manage('GET', brand)).json(), { accent: '' })
  t.match(refusal(await testApp.manage('PATCH', brand, { accent: '#0b5cad' })), {
    ...{ status: 409, code: 'NameTaken', target: 'name' },
  })
  t.equal((await testApp.manage('PATCH', brand, { accent: '#0b5cad', name: 'Tenant B' })).statusCode, 200)
})

t.test(
  'an operator takes a brand of any tenant or application away, with a reason that its ledger keeps',
  async (t) => {
    const { testApp, tenant, application, tenantA, tenantB, a, ownerOfB, operatorOfB, as } = await open(t)
    as(atPortal(a.administrator, tenantA))
    const logo = pngFile(32, 32).toString('base64')
    for (const path of [tenant, application]) t.equal((await testApp.manage('PATCH', path, { logo })).statusCode, 200)
    const because = { reason: 'It passes for the post office.' }
    for (const path of [tenant, application]) {
      for (const who of [atPortal(a.owner, tenantA), atPortal(ownerOfB, tenantB)]) {
        as(who)
        t.equal((await testApp.manage('POST', `${path}/removal`, because)).statusCode, 403, 'not an operator')
      }
      as(atPortal(operatorOfB, tenantB))
      t.match((await testApp.manage('GET', path)).json(), { logo: { width: 32 } }, 'operators see it')
      for (const body of [{}, { reason: '' }, { reason: '  ' }, { reason: 'a\u202eb' }, { reason: 'x'.repeat(201) }]) {
        t.equal((await testApp.manage('POST', `${path}/removal`, body)).statusCode, 400, JSON.stringify(body))
      }
      t.equal((await testApp.manage('POST', `${path}/removal`, because)).statusCode, 204)
      t.match((await testApp.manage('GET', path)).json(), { logo: null })
      t.equal((await testApp.manage('POST', `${path}/removal`, because)).statusCode, 204, 'it is gone already')
    }
    as(atPortal(operatorOfB, tenantB))
    t.equal((await testApp.manage('PATCH', application, { home: null })).statusCode, 404, 'they change nothing of it')
    t.equal((await testApp.manage('GET', '/applications/diary/brand')).statusCode, 404, 'names are one tenant’s own')
    as(atPortal(a.administrator, tenantA))
    const { value } = (await testApp.manage('GET', '/auditEvents')).json()
    const seen = value.filter(({ details }: { details: { reason?: string } }) => details?.reason === because.reason)
    t.same(
      seen.map(({ event }: { event: string }) => event).sort(),
      ['application.brand-changed', 'tenant.brand-changed'],
      'the administrators of the tenant read why',
    )
  },
)
