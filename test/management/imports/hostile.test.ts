// Exports that somebody wrote to hurt: what they come to is bounded before it is made, and nothing hidden is said again.

import t from 'tap'
import { mostPrepared } from '../../../src/management/imports/import-bounds.js'
import { planImport } from '../../../src/management/imports/import-plan.js'
import { prepare } from '../../../src/management/imports/prepared.js'
import { readExport } from '../../../src/management/imports/read-export.js'

const read = (document: unknown) => readExport({ content: JSON.stringify(document) })
const around = {
  catalogue: { require: () => ({ kind: 'delegated', resource: 'r', id: 'i' }) as const, withId: () => [] },
  find: async () => undefined,
  map: new Map<string, string>(),
  tenantId: 't',
  update: false,
  planOf: () => undefined,
  refusalOf: () => undefined,
}

t.test('a service account of many roles is given to one client, however many claim it', async (t) => {
  const realmRoles = Array.from({ length: 4_000 }, (_, at) => `role-${at}`)
  const clients = Array.from({ length: 300 }, () => ({ clientId: 'same', serviceAccountsEnabled: true }))
  const users = [{ serviceAccountClientId: 'same', realmRoles }]
  const { imported } = await read({ realm: 'r', clients, users })
  t.equal(imported.length, 300)
  t.equal(
    imported.reduce((sum, { permissions }) => sum + permissions.length, 0),
    4_000,
  )
})

t.test('what one long name and many short ones come to is not answered', async (t) => {
  const resourceAccess = Array.from({ length: 4_000 }, (_, at) => ({ id: `p${at}`, type: 'Scope' }))
  const manifest = { appId: 'a', requiredResourceAccess: [{ resourceAppId: 'x'.repeat(4_000), resourceAccess }] }
  const conversion = await read([manifest])
  const items = await planImport(conversion, around)
  t.throws(() => prepare('entra', conversion, items), /too much at once/)
  const few = { ...manifest, requiredResourceAccess: [{ resourceAppId: 'x', resourceAccess }] }
  const fewer = await read([few])
  t.ok(prepare('entra', fewer, await planImport(fewer, around)).length < mostPrepared)
})

t.test('what a look answers can be imported, with as many notes and permissions as there may be', async (t) => {
  const scope = Array.from({ length: 16 }, (_, at) => `scope-${at}`).join(' ')
  const fields = Object.fromEntries(Array.from({ length: 48 }, (_, at) => [`field${at}`, 1]))
  const grants = { grant_types: ['authorization_code', 'client_credentials'] }
  const uris = { redirect_uris: ['https://a.example/'] }
  const clients = Array.from({ length: 300 }, (_, at) => ({
    client_id: `c${at}`,
    scope,
    ...uris,
    ...grants,
    ...fields,
  }))
  const conversion = await read(clients)
  const content = prepare('hydra', conversion, await planImport(conversion, around))
  const { imported } = await readExport({ content, source: 'prepared' })
  t.equal(imported.length, 300)
  t.equal(imported[0]?.permissions.length, 16)
})

t.test('names of prototypes are names, and look-alikes are told apart or refused', async (t) => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const { imported } = await read(names.map((name) => ({ client_id: name, client_name: `App ${name}`, [name]: 1 })))
  t.same(
    imported.map(({ sourceId }) => sourceId),
    names,
  )
  const hydra = [
    '{"client_id":"a","client_name":"Payroll","__proto__":{"client_secret":"x","scope":"stolen"}}',
    '{"client_id":"b","client_name":"Pay\\u200broll"}',
    '{"client_id":"c","client_name":"Ｐayroll"}',
    '{"client_id":"d","client_name":"payroll\\u202e"}',
  ]
  const odd = await readExport({ content: `[${hydra.join(',')}]`, source: 'hydra' })
  t.same(odd.imported[0]?.permissions, [], 'a field of that name is no prototype')
  const items = await planImport(odd, around)
  t.equal(new Set(items.map(({ one }) => one.name)).size, 4)
  t.ok(items[1]?.result === 'failed' && items[3]?.result === 'failed', 'what cannot be seen is no name')
})

t.test('user information of an address is in no note', async (t) => {
  const uris = [
    'https://ada:hidden-word@a.example/cb',
    'HTTPS://hidden-word@a.example',
    'https:ada:hidden-word@a.example',
    '//ada:hidden-word@a.example/cb',
    ' https://ada:hidden-word@a.example',
    '\\\\ada:hidden-word@a.example',
    '*://ada:hidden-word@a.example',
    `https://ada:hidden-word${'x'.repeat(300)}@a.example`,
  ]
  const [item] = await planImport(await read([{ client_id: 'c', client_name: 'Shop', redirect_uris: uris }]), around)
  t.same(item?.one.redirectUris, [])
  t.notMatch(JSON.stringify(item?.notes), 'hidden-word')
})
