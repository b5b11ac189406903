// Imports through the management API: a look, the import, its secrets, and everything that is wrong with an export.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../src/config/read/package-root.js'
import type { ImportAnswer } from '../../../src/management/imports/import-schemas.js'
import { atPortal, openWorld, type World } from '../../support/models/isolation.js'
import { openManagement, refusal } from '../../support/rooms/management.js'

const sample = (name: string) => readFileSync(join(String(packageRoot()), 'test/cli/samples', name), 'utf8')
const hydra = (...clients: object[]) => JSON.stringify(clients)
const client = (id: string, more: object = {}) => ({ client_id: id, client_name: `App ${id}`, ...more })
const redirects = (...uris: string[]) => ({ redirect_uris: uris })

let opened: Promise<World> | undefined

/** One for all tests: each has names of its own. */
async function open(): Promise<World> {
  opened ??= openManagement(t).then(openWorld)
  const world = await opened
  world.testApp.caller.principal = atPortal(world.a.administrator, world.tenantA)
  return world
}

async function look({ testApp }: World, body: object): Promise<ImportAnswer<'plan'>> {
  const answer = await testApp.manage('POST', '/imports/plan', body)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json()
}

async function carryOut({ testApp }: World, body: object): Promise<ImportAnswer<'imported'>> {
  const answer = await testApp.manage('POST', '/imports', body)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json()
}

const count = async ({ testApp }: World): Promise<number> =>
  (await testApp.manage('GET', '/applications?$top=200')).json().value.length

t.test('what a text says over and over is read once', async (t) => {
  const world = await open()
  const redirectUris = Array.from({ length: 50 }, (_, at) => `https://again.example/${at}`)
  const attributes = { 'post.logout.redirect.uris': '+##'.repeat(19_000) }
  const content = JSON.stringify([{ clientId: 'again', redirectUris, attributes }])
  const { prepared } = await look(world, { content })
  t.same(JSON.parse(prepared).imported[0].logoutRedirectUris, redirectUris)
})

t.test(
  'a look says what an import would do and does nothing; the import does it; once more changes nothing',
  async (t) => {
    const world = await open()
    const before = await count(world)
    const content = sample('keycloak-realm.json')
    const plan = await look(world, { content })
    t.equal(plan.source, 'keycloak', 'found out by its fields')
    t.equal(await count(world), before, 'a look makes nothing')
    t.ok(plan.counts.created > 1)
    t.equal(plan.counts.created, plan.value.length)
    t.ok(plan.left.length > 0, 'what is no application is named')
    t.ok(
      plan.value.some(({ notes }) => notes.length > 0),
      'what has no place here is named',
    )
    for (const secret of ['never-printed-secret', '**********', 'secretData']) t.notMatch(plan.prepared, secret)

    const done = await carryOut(world, { content: plan.prepared, source: 'prepared' })
    t.same(done.counts, plan.counts)
    t.same(
      done.value.map(({ clientSecret }) => clientSecret !== undefined),
      plan.value.map(({ makesSecret }) => makesSecret),
      'new secrets are in this answer',
    )
    t.equal(await count(world), before + done.counts.created)
    for (const body of [{ content }, { content: plan.prepared, source: 'prepared' }]) {
      const again = await carryOut(world, body)
      t.same(
        { ...again.counts, exists: 0 },
        { created: 0, changed: 0, unchanged: 0, exists: 0, failed: 0, notReached: 0 },
      )
      t.equal(again.counts.exists, done.counts.created)
      t.notOk(again.value.some(({ clientSecret }) => clientSecret !== undefined))
    }
    const updating = await carryOut(world, { content, update: true })
    t.equal(updating.counts.unchanged, done.counts.created, 'with update it is as the export says already')
    t.equal(await count(world), before + done.counts.created)
  },
)

t.test('each change is audited in the name of who imports, under the request that did it', async (t) => {
  const world = await open()
  const answer = await world.testApp.manage('POST', '/imports', {
    content: hydra(client('audit-a'), client('audit-b')),
  })
  t.equal(answer.statusCode, 200)
  const { value } = (await world.testApp.manage('GET', '/auditEvents')).json()
  const made = value.filter(({ event }: { event: string }) => event === 'application.registered')
  t.equal(made.length >= 2, true)
  t.same(made[0].actor, made[1].actor)
  t.equal(made[0].requestId, made[1].requestId)
  t.match(made[0].actor, { userId: world.a.administrator })
})

t.test(
  'what exists is changed only with update, in numbers before; and not when it changed after the look',
  async (t) => {
    const world = await open()
    const first = redirects('https://a.example/one', 'https://a.example/two')
    const second = redirects('https://a.example/two', 'https://a.example/three')
    await carryOut(world, { content: hydra(client('change-a', first)) })
    const content = hydra(client('change-a', second))
    t.match(await look(world, { content }), { counts: { exists: 1, changed: 0 } })
    const plan = await look(world, { content, update: true })
    t.match(plan, {
      counts: { changed: 1 },
      value: [
        {
          result: 'changed',
          differences: [
            { field: 'redirectUris', removed: ['https://a.example/one'], added: ['https://a.example/three'] },
          ],
        },
      ],
    })
    const id = plan.value[0]?.applicationId ?? ''
    await world.testApp.manage('PATCH', `/applications/${id}`, { publisher: 'Somebody else' })
    const prepared = { content: plan.prepared, source: 'prepared', update: true }
    t.match(await carryOut(world, prepared), { counts: { failed: 1 }, value: [{ reason: /since you looked/ }] })
    const anew = await look(world, { content, update: true })
    t.match(await carryOut(world, { ...prepared, content: anew.prepared }), { counts: { changed: 1 } })
    const { redirectUris } = (await world.testApp.manage('GET', `/applications/${id}`)).json()
    t.same(redirectUris, ['https://a.example/three', 'https://a.example/two'])
    const gone = (await look(world, { content, update: true })).prepared
    await world.testApp.manage('DELETE', `/applications/${id}`)
    const late = await carryOut(world, { content: gone, source: 'prepared', update: true })
    t.match(late, { counts: { failed: 1, created: 0 }, value: [{ reason: /since you looked/ }] }, 'it is not made anew')
  },
)

t.test('permissions are mapped, unknown ones named, and nothing is consented to', async (t) => {
  const world = await open()
  const scopes = { scope: 'openid legacy.read User.Read.All', grant_types: ['client_credentials'] }
  const content = hydra(client('map-a', scopes))
  const plan = await look(world, { content, permissionMap: { 'legacy.raed': 'User.Read.All' } })
  t.match(plan, { unusedNames: ['legacy.raed'], value: [{ unknownPermissions: ['legacy.read'] }] })
  const mapped = { content: plan.prepared, source: 'prepared', permissionMap: { 'legacy.read': 'User.Read.All' } }
  const done = await carryOut(world, mapped)
  const { permissions, consents } = (
    await world.testApp.manage('GET', `/applications/${done.value[0]?.applicationId}`)
  ).json()
  t.match(permissions, [{ kind: 'application', id: 'User.Read.All' }])
  t.equal(permissions.length, 1)
  t.same(consents[0].permissions, [])
  const wrong = await world.testApp.manage('POST', '/imports/plan', {
    content,
    permissionMap: { 'legacy.read': 'Nope' },
  })
  t.match(refusal(wrong), { status: 400, code: 'InvalidImport' })
})

t.test('U10 nobody can do by an import what they could not do one by one', async (t) => {
  const world = await open()
  const { testApp, tenantA, tenantB, a, ownerOfB } = world
  await carryOut(world, { content: hydra(client('own-a', redirects('https://a.example/'))) })
  const steal = hydra(client('own-a', redirects('https://dora.example/')))
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const looked = await look(world, { content: steal, update: true })
  t.match(looked, { counts: { failed: 1, changed: 0 }, value: [{ reason: /for the owners of the application/ }] })
  const tried = await carryOut(world, { content: steal, update: true })
  t.match(tried.counts, { failed: 1, changed: 0 }, 'a developer who does not own it')
  const server = { 'x.y': 'delegated:Server.ReadWrite' }
  const high = { scope: 'x.y', grant_types: ['authorization_code'] }
  const seen = await look(world, { content: hydra(client('own-h', high)), permissionMap: server })
  t.match(seen, { counts: { failed: 1 }, value: [{ reason: /Only an operator/ }] }, 'said at the first look')
  const ceiling = await testApp.manage('POST', '/imports', {
    content: hydra(client('own-h', high)),
    permissionMap: server,
  })
  t.match(ceiling.json().counts, { created: 0, failed: 1 }, 'a permission beyond what the caller may list')
  testApp.caller.principal = atPortal(a.member, tenantA)
  t.equal((await testApp.manage('POST', '/imports', { content: steal })).statusCode, 403, 'a member')
  testApp.caller.principal = atPortal(ownerOfB, tenantB)
  t.equal((await testApp.manage('POST', '/imports', { content: steal, tenantId: tenantA })).statusCode, 404)
  const own = await carryOut(world, { content: steal, update: true })
  t.match(own.counts, { created: 1 }, 'of the same name in another tenant: one of its own')
})

t.test('two who import the same at once make it once', async (t) => {
  const world = await open()
  const { testApp, tenantA, a } = world
  const before = await count(world)
  const content = hydra(client('twice-a'), client('twice-b'), client('twice-c'))
  const answers = await Promise.all([1, 2, 3].map(() => testApp.manage('POST', '/imports', { content })))
  const codes = answers.map(({ statusCode }) => statusCode).sort()
  t.equal(codes[0], 200)
  for (const code of codes.slice(1)) t.ok(code === 409 || code === 200, String(code))
  t.equal(await count(world), before + 3)
  const body = { name: 'App twice-a', type: 'web', ifNameIsFree: true }
  t.match(refusal(await testApp.manage('POST', '/applications', body)), { status: 409, code: 'NameTaken' })
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  t.equal((await testApp.manage('POST', '/applications', { ...body, ifNameIsFree: false })).statusCode, 201)
})

t.test('what the rules refuse costs what it is in; the rest is made', async (t) => {
  const world = await open()
  const odd = client('rules-odd', { client_name: '\u202ehidden' })
  const uris = client('rules-u', redirects('http://plain.example/', 'https://*.example/', 'https://u.example/'))
  const done = await carryOut(world, { content: hydra(odd, uris, client('rules-same'), client('rules-same')) })
  t.match(done.counts, { created: 3, failed: 1 })
  t.same(done.value.find(({ sourceId }) => sourceId === 'rules-u')?.notes.length, 2)
  t.same(new Set(done.value.map(({ name }) => name)).size, 4, 'names are made distinct')
})

t.test('U10 an export that is none, or too much, is one sentence, and quotes nothing of it', async (t) => {
  const world = await open()
  const before = await count(world)
  const many = Array.from({ length: 301 }, (_, at) => client(String(at)))
  const scopes = Array.from({ length: 5_001 }, (_, at) => `s${at}`).join(' ')
  const cases: readonly (readonly [string, object, RegExp])[] = [
    ['no JSON', { content: 'hidden-word' }, /not JSON/],
    ['half of it', { content: '[{"client_secret":"hidden-word"' }, /not JSON/],
    ['nested deeply', { content: '['.repeat(500_000) }, /nested too deeply/],
    ['nobody knows whose', { content: '{"hidden-word":1}' }, /not recognized/],
    ['an empty list', { content: '[]' }, /not recognized/],
    ['a number', { content: '7' }, /not recognized/],
    [
      'another product',
      { content: hydra(client('none-a')), source: 'keycloak' },
      /export of Ory Hydra, not of Keycloak/,
    ],
    ['too many', { content: hydra(...many) }, /more than 300 clients/],
    ['too many values', { content: `[${'1,'.repeat(30_000)}1]` }, /more than 20000 values/],
    ['too many permissions', { content: hydra(client('s', { scope: scopes })) }, /more than 5000 permissions/],
    [
      'more scopes in one text than values',
      { content: hydra(client('c', { scope: 's '.repeat(20_001) })) },
      /lists more than 20000 scopes/,
    ],
    [
      'more addresses in one text than values',
      {
        content: JSON.stringify([{ clientId: 'c', attributes: { 'post.logout.redirect.uris': '+##'.repeat(20_001) } }]),
      },
      /lists more than 20000 scopes or addresses/,
    ],
    [
      'a text that others are put together with',
      { content: JSON.stringify([{ clientId: 'c', rootUrl: `https://${'a'.repeat(4_100)}`, redirectUris: ['/1'] }]) },
      /\[0\]\.rootUrl has a text of more than 4096 characters/,
    ],
    [
      'a name of a field that others are put together with',
      { content: JSON.stringify([{ clientId: 'c', ['k'.repeat(4_100)]: 1 }]) },
      /a name of a field of more than 4096 characters/,
    ],
    ['too large', { content: `[${' '.repeat(1_048_576)}]` }, /larger than 1 MiB/],
    ['another shape', { content: '{"clients":[{"clientId":7}]}' }, /clients\[0\]\.clientId is not a text/],
    ['prepared by somebody else', { content: '{"source":"hydra"}', source: 'prepared' }, /send the export again/],
    [
      'a polluting field',
      { content: '{"clientId":"a","__proto__":{"polluted":1}}', source: 'entra' },
      /Keycloak, not of/,
    ],
  ]
  for (const [title, body, expected] of cases) {
    for (const path of ['/imports/plan', '/imports']) {
      const answer = await world.testApp.manage('POST', path, body)
      t.match(refusal(answer), { status: 400, code: 'InvalidImport' }, title)
      t.match(answer.json().error.message, expected, title)
      t.notMatch(answer.body, 'hidden-word', title)
    }
  }
  t.equal((await world.testApp.manage('POST', '/imports', { content: 'x'.repeat(5_000_000) })).statusCode, 413)
  t.equal((await world.testApp.manage('POST', '/imports', { content: '' })).statusCode, 400)
  t.equal((await world.testApp.manage('POST', '/imports', { content: '{}', more: 1 })).statusCode, 400)
  t.equal(({} as { polluted?: number }).polluted, undefined)
  t.equal(await count(world), before)
})
