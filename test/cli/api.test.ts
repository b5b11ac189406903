// The commands about a tenant's own APIs, against a stand-in for the server.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { apiError, runCommand, type SocketAnswer, socketServer } from '../support/rooms/cli.js'
import { documentedBlock } from '../support/settings/documentation.js'

const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const apiId = '7a1c1c3e-0000-4000-8000-0000000000cc'
const read = { id: 'Orders.Read', describe: 'Read orders', kinds: ['application'], adminConsent: false, role: 'member' }
const api = {
  ...{ apiId, identifier: `api://${tenantId}/orders`, tenantId, name: 'Orders', permissions: [read] },
  ...{ createdAt: '', updatedAt: '' },
}
const twin = { ...api, apiId: '7a1c1c3e-0000-4000-8000-0000000000dd', identifier: 'api://another/twin' }
const all = [api, twin, { ...twin, apiId: '7a1c1c3e-0000-4000-8000-0000000000ee', identifier: 'api://third/twin' }]

async function build(t: Test, answers: Record<string, SocketAnswer> = {}) {
  // A socket's path has room for 103 bytes, and tap's own folders are named after the whole test.
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const known: Record<string, SocketAnswer> = {
    'GET /api/v2/tenants': { json: { value: [{ tenantId, name: 'home', state: 'enabled', createdAt: '' }] } },
    'GET /api/v2/apis': { json: { value: all } },
    [`GET /api/v2/apis?tenantId=${tenantId}`]: { json: { value: [api] } },
    [`GET /api/v2/apis/${apiId}`]: { json: api },
    ...answers,
  }
  const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path }) => {
    return known[`${method} ${path}`] ?? apiError(404, 'NotFound', `nothing at ${path}`)
  })
  t.teardown(() => server.close())
  const run = (line: string | string[], answer?: string) =>
    runCommand(typeof line === 'string' ? line.split(' ') : line, {
      ...{ cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } },
      ...(answer === undefined ? {} : { answer }),
    })
  return { run, last: () => server.requests.at(-1) }
}

t.test('an API is found by its short name, its identifier or its id', async (t) => {
  const { run } = await build(t)
  for (const reference of ['orders', api.identifier, apiId, apiId.toUpperCase()]) {
    t.match(await run(`api show ${reference} -o env`), { code: 0, out: `PORTCULLIS_API_ID=${apiId}` }, reference)
  }
  t.match((await run('api show orders')).out, /^permission +Orders\.Read \(application\): Read orders$/m)
  t.match(await run('api show twin'), { code: 2, err: /several tenants have an API twin/ })
  t.match(await run('api show rders'), { code: 3, out: '', err: /There is no API "rders"/ })
  t.match((await run('api list --tenant home')).out, /^NAME +IDENTIFIER +PERMISSIONS +API ID\nOrders +api:\S+ +1 /)
})

t.test('create says the tenant; permissions are set and taken away one at a time', async (t) => {
  const { run, last } = await build(t, {
    'POST /api/v2/apis': { status: 201, json: api },
    [`PATCH /api/v2/apis/${apiId}`]: { json: api },
  })
  t.equal((await run('api create orders --name Orders')).code, 0)
  t.same(last()?.body, { shortName: 'orders', name: 'Orders', tenantId, permissions: [] })
  t.equal((await run('api create orders')).code, 2, 'people call it something')
  t.equal(
    (await run('api permission set orders Orders.Write --describe Write --admin-consent --role developer')).code,
    0,
  )
  const added = { id: 'Orders.Write', describe: 'Write', kinds: ['application', 'delegated'], adminConsent: true }
  t.same(last()?.body, { permissions: [read, { ...added, role: 'developer' }] })
  t.equal((await run('api permission set orders Orders.Read --describe Again --kind delegated')).code, 0)
  t.same(last()?.body, { permissions: [{ id: 'Orders.Read', describe: 'Again', kinds: ['delegated'] }] })
  t.equal((await run('api permission set orders Orders.Write')).code, 2, 'people must read what it permits')
  const set = 'api permission set orders Orders.Read --kind application --describe'
  t.equal((await run(`${set} Lists --describe-in de=Listen --describe-in ja=一覧`)).code, 0)
  t.match(last()?.body, { permissions: [{ describe: 'Lists', descriptions: { de: 'Listen', ja: '一覧' } }] })
  t.match(await run(`${set} Lists --describe-in German`), { code: 2, err: /Write it as de=/ })
  t.match(await run('api permission remove orders Orders.Read'), { code: 0, err: /It has 0 left/ })
  t.same(last()?.body, { permissions: [] })
  t.equal((await run('api permission remove orders Orders.Write')).code, 3)
})

t.test('other languages stay while the text stays, and go when it says something else', async (t) => {
  const [en, de] = ['Read', 'Lesen']
  const known = { ...api, permissions: [{ ...read, describe: en, descriptions: { de, fr: 'Lire' } }] }
  const { run, last } = await build(t, {
    'GET /api/v2/apis': { json: { value: [known] } },
    [`GET /api/v2/apis/${apiId}`]: { json: known },
    [`PATCH /api/v2/apis/${apiId}`]: { json: known },
  })
  t.match((await run('api show orders')).out, /\n +de: Lesen\n +fr: Lire$/m)
  const set = async (rest: string) => {
    t.equal((await run(`api permission set orders Orders.Read ${rest}`)).code, 0)
    const body = last()?.body as { permissions: { descriptions?: object }[] } | undefined
    return body?.permissions[0]?.descriptions
  }
  t.same(await set('--describe Read --role developer'), { de, fr: 'Lire' })
  t.same(await set('--describe Read --describe-in fr='), { de })
  t.same(await set('--describe Delete'), undefined, 'what said "read" says it no more')
  t.same(await set('--describe Delete --describe-in de=Entfernen'), { de: 'Entfernen' })
})

t.test('the command of the documentation says what it allows in two languages', async (t) => {
  const { run, last } = await build(t, { [`PATCH /api/v2/apis/${apiId}`]: { json: api } })
  const words = [...(documentedBlock('api permission set orders') ?? '').matchAll(/"([^"]*)"|(\S+)/g)]
  t.equal((await run(words.slice(1).map(([, quoted, bare = '']) => quoted ?? bare))).code, 0)
  const described = { describe: 'Read orders', descriptions: { de: 'Bestellungen lesen' } }
  t.match(last()?.body, { permissions: [{ id: 'Orders.Read', ...described }] })
})

t.test('delete asks; one whose permissions somebody has stays', async (t) => {
  const inUse = apiError(409, 'PermissionInUse', 'An application has a permission of it.')
  const { run } = await build(t, { [`DELETE /api/v2/apis/${apiId}`]: inUse })
  t.match(await run('api delete orders'), { code: 2, err: /say --yes/ })
  t.match(await run('api delete orders', 'n'), { code: 1, err: /nothing was done/ })
  t.match(await run('api delete orders', 'yes'), { code: 1, err: /An application has a permission of it/ })
  const free = await build(t, { [`DELETE /api/v2/apis/${apiId}`]: { status: 204 } })
  t.match(await free.run('api delete orders --yes'), { code: 0, out: '', err: 'The API is deleted.\n' })
})
