// identity M8: the portal and the command line recommend PKCE, tell how many sign-ins had it, and offer to require it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { formOf, textOf } from '../support/browser/scripted-browser.js'
import { apiError, runCommand, type SocketRequest, socketServer } from '../support/rooms/cli.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const dayMs = 86_400_000
const redirectUris = ['https://shop.example.com/back']
const newPath = (kind: string) => `/portal/applications/new?kind=${kind}`

async function read(testApp: PortalApp, reference: string) {
  testApp.caller.principal = { kind: 'local' }
  return (await testApp.manage('GET', `/applications/${encodeURIComponent(reference)}`)).json()
}

t.test('identity M8: the form for a web application recommends PKCE and says why; it can be taken out', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const form = await browser.get(newPath('web'))
  t.match(form.body, /<input[^>]*id="requirePkce"[^>]* checked/)
  t.match(textOf(form, 'register-form'), /Require PKCE \(recommended\).*worth nothing/)
  for (const kind of ['server', 'native']) t.notMatch((await browser.get(newPath(kind))).body, 'id="requirePkce"', kind)
  const fields = { name: 'Shop', redirectUri: redirectUris[0] ?? '', requirePkce: 'yes' }
  t.equal((await browser.submit(form, 'register-form', fields)).status, 201)
  t.match(await read(testApp, 'Shop'), { requirePkce: true })
  const { requirePkce: _, ...without } = { ...fields, name: 'Old library' }
  const { action, fields: hidden } = formOf(await browser.get(newPath('web')), 'register-form')
  const { requirePkce: __, ...others } = hidden
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const wrong = await browser.post(action, { ...others, ...without, redirectUri: 'http://shop.test' }, headers)
  t.equal(wrong.status, 400)
  t.match(wrong.body, 'id="requirePkce"')
  t.notMatch(wrong.body, /id="requirePkce"[^>]* checked/, 'what was taken out stays out when something else is wrong')
  t.equal((await browser.submit(wrong, 'register-form', without)).status, 201)
  t.match(await read(testApp, 'Old library'), { requirePkce: false })
})

t.test('identity M8: the page of the application tells the figures, and requires PKCE by one press', async (t) => {
  const testApp = await openPortal(t)
  testApp.clock.nowMs = Date.now() + 40 * dayMs
  const made = await testApp.registerDemo({ name: 'shop', tenantId: testApp.tenantId, redirectUris })
  const { applicationId } = made.registration
  const path = `/portal/applications/${applicationId}`
  const browser = await testApp.as('developer')
  t.match(textOf(await browser.get(path), 'pkce-use'), /^Nobody signed in/)
  for (let i = 0; i < 340; i += 1) testApp.usage.code(applicationId, i >= 12)
  await testApp.usage.flush()
  const some = await browser.get(path)
  t.match(
    textOf(some, 'pkce-use'),
    /^12 of 340 requests of the last 30 days came without PKCE, the last on \d+ \w+ 2\d/,
  )
  t.notMatch(some.body, 'id="pkce-form"', 'it would refuse somebody')
  testApp.clock.nowMs += 30 * dayMs
  for (let i = 0; i < 7; i += 1) testApp.usage.code(applicationId, true)
  await testApp.usage.flush()
  const again = await testApp.as('developer')
  const all = await again.get(path)
  t.equal(textOf(all, 'pkce-use'), 'All 7 requests of the last 30 days used PKCE: require it.')
  t.match(all.body, /id="change-pkce" class="primary"/)
  const done = await again.submit(all, 'pkce-form', {})
  t.equal(done.location ?? done.path, `${path}?done=pkce-required`)
  t.match(await read(testApp, applicationId), { requirePkce: true })
  t.match((await testApp.events()).at(-1), { event: 'application.changed', details: { requirePkce: { after: true } } })
  const required = await again.get(path)
  t.match(textOf(required, 'pkce-use'), /^Required/)
  await again.submit(required, 'pkce-form', {})
  t.match(await read(testApp, applicationId), { requirePkce: false }, 'and back')
  for (const more of [{ name: 'job' }, { name: 'app', type: 'native' as const, redirectUris }]) {
    const other = await testApp.registerDemo({ ...more, tenantId: testApp.tenantId })
    const page = await (await testApp.as('developer')).get(`/portal/applications/${other.registration.applicationId}`)
    t.equal(page.status, 200)
    t.notMatch(page.body, 'id="pkce"', `${more.name}: there is nothing to decide`)
  }
})

t.test('identity M8: a time before the counting is not spoken for', async (t) => {
  const testApp = await openPortal(t)
  testApp.clock.nowMs = Date.now() - 10 * dayMs
  const made = await testApp.registerDemo({ name: 'older', tenantId: testApp.tenantId, redirectUris })
  const { applicationId } = made.registration
  testApp.clock.nowMs = Date.now() + 5 * dayMs
  for (let i = 0; i < 2; i += 1) testApp.usage.code(applicationId, true)
  await testApp.usage.flush()
  const page = await (await testApp.as('developer')).get(`/portal/applications/${applicationId}`)
  t.match(textOf(page, 'pkce-use'), /^All 2 requests since \d+ \w+ \d+, .* UTC, when counting began, used PKCE\.$/)
  t.match(page.body, /id="change-pkce" class="plain small"/)
})

const applicationId = '7a1c1c3e-0000-4000-8000-000000000001'
const application = {
  ...{ applicationId, publicKey: 'pcl_pk_x', tenantId: 't', name: 'hello', type: 'web', state: 'enabled' },
  ...{ audience: 'home', requirePkce: false, authMethod: 'secret', jwks: null, idTokenAlg: 'RS256', publisher: '' },
  ...{ verified: false, deviceCodes: 'allowed', secrets: [], owners: [], redirectUris, adminConsentRedirectUris: [] },
  ...{ logoutRedirectUris: [], permissions: [], consents: [], createdAt: '2026-01-01', updatedAt: '2026-01-01' },
}
const figures = {
  ...{ applicationId, required: false, from: '2026-10-24', to: '2026-11-22', countedSince: '2026-09-01T00:00:00.000Z' },
  ...{ withPkce: 340, withoutPkce: 0, lastWithoutAt: null, suggested: true },
  value: [{ day: '2026-11-22', withPkce: 340, withoutPkce: 0 }],
}

async function commandLine(t: { teardown(work: () => unknown): void }, use: object, more: object = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const answer = { ...application, ...more }
  const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path }: SocketRequest) => {
    if (method === 'POST' && path === '/api/v2/applications') return { status: 201, json: answer }
    if (path === '/api/v2/applications/hello') return { json: answer }
    if (path.endsWith(`${applicationId}/pkceUse`)) return { json: { ...figures, ...use } }
    if (path.includes('/permissionUse')) return { json: { value: [], removable: [], unusedAfterSeconds: 1 } }
    return apiError(404, 'ApplicationNotFound', `nothing at ${path}`)
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  return { requests: server.requests, run: (line: string) => runCommand(line.split(' '), { cwd, env }) }
}

const command = `portcullis app set ${applicationId} --require-pkce`

t.test('identity M8: the command line recommends PKCE to anyone who registers a web application', async (t) => {
  const { run } = await commandLine(t, {})
  const { code, out, err } = await run('app create hello --redirect-uri https://shop.example.com/back')
  t.equal(code, 0)
  t.match(err, `require PKCE with\n  ${command}\n`)
  t.notMatch(out, 'Recommended', 'data is data')
  for (const line of err.split('\n')) t.ok(line.length <= 80, line)
  for (const more of [{ requirePkce: true }, { type: 'native' }, { redirectUris: [] }]) {
    const other = await commandLine(t, {}, more)
    t.notMatch((await other.run('app create hello')).err, 'PKCE', JSON.stringify(more))
  }
})

t.test('identity M8: app show and usage say how many sign-ins had PKCE, and how to require it', async (t) => {
  const { run } = await commandLine(t, {})
  for (const line of ['app show hello', 'app show hello -o json', 'usage hello', 'usage hello --by pkce']) {
    const { code, err } = await run(line)
    t.equal(code, 0, line)
    const empty = line === 'usage hello' ? 'It has no permissions. See: portcullis app permission add --help\n' : ''
    t.equal(err, `${empty}All 340 requests of the last 30 days used PKCE: require it with\n  ${command}\n`, line)
    for (const each of err.split('\n')) t.ok(each.length <= 80, each)
  }
  t.match((await run('usage hello --by pkce')).out, /^DAY +WITH PKCE +WITHOUT\n2026-11-22 +340 +0\n$/)
  t.same(JSON.parse((await run('usage hello --by pkce -o json')).out), figures)
  const lastWithoutAt = '2026-11-20T10:00:00.000Z'
  const some = await commandLine(t, { withPkce: 328, withoutPkce: 12, lastWithoutAt, suggested: false })
  const { err } = await some.run('app show hello')
  t.equal(err, '12 of 340 requests of the last 30 days came without PKCE,\nlast on 2026-11-20T10:00:00.000Z\n')
  const young = await commandLine(t, { suggested: false })
  t.equal((await young.run('app show hello')).err, 'All 340 requests since 2026-09-01T00:00:00.000Z used PKCE\n')
  const none = await commandLine(t, { withPkce: 0, suggested: false })
  t.equal((await none.run('app show hello')).err, '')
  const older = await commandLine(t, {}, { applicationId: '7a1c1c3e-0000-4000-8000-000000000002' })
  t.match(await older.run('app show hello'), { code: 0, err: '' }, 'a server that does not count')
  const required = await commandLine(t, {}, { requirePkce: true })
  t.equal((await required.run('app show hello')).err, '')
  t.notOk(
    required.requests.some(({ path }) => path.endsWith('/pkceUse')),
    'nothing to ask',
  )
})

t.test('identity M8: --by pkce is about one application and the last thirty days', async (t) => {
  const { run } = await commandLine(t, {})
  for (const line of [
    'usage --by pkce',
    'usage hello --by pkce --from 2026-01-01',
    'usage hello --by pkce --tenant x',
  ]) {
    t.match(await run(line), { code: 2, err: /--by pkce/ }, line)
  }
})
