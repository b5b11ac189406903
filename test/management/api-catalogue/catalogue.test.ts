// The API catalogue: every API that an application can be given access to, with what its document says and what the
// gate asks for; what a reader may not see in the reference is not here either.

import { Validator } from '@seriousme/openapi-schema-validator'
import t, { type Test } from 'tap'
import type { CatalogueApi, CatalogueList } from '../../../src/management/api-catalogue/catalogue-schemas.js'
import type { ApiDocument } from '../../../src/management/openapi/document-types.js'
import { atPortal, openWorld, withToken } from '../../support/models/isolation.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openManagement, refusal } from '../../support/rooms/management.js'
import { postsRules, postsService, servedDocument } from '../../support/settings/served-document.js'

async function open(t: Test, rules = postsRules) {
  const { document } = servedDocument(t, rules, { 'posts.json': postsService })
  const testApp = await openManagement(t, { document })
  const world = await openWorld(testApp)
  const list = async (query = '') => (await testApp.manage('GET', `/apiCatalogue${query}`)).json<CatalogueList>().value
  const read = async (id: string) => (await testApp.manage('GET', `/apiCatalogue/${id}`)).json<CatalogueApi>()
  const part = async (id: string) =>
    (await testApp.manage('GET', `/apiCatalogue/${id}/openapi.json`)).json<ApiDocument>()
  return { ...testApp, world, list, read, part }
}

t.test('a service is listed as its document says, with the permissions that the gate asks for', async (t) => {
  const { list, read } = await open(t)
  const all = await list()
  t.same(
    all.map(({ apiId, kind, name }) => [apiId, kind, name]),
    [
      ['posts', 'service', 'Posts'],
      ['services-behind-the-gate', 'routes', 'Services behind the gate'],
      ['things', 'routes', 'Things'],
      ['portcullis-management', 'management', 'Portcullis management'],
    ],
  )
  const posts = await read('posts')
  t.match(posts, {
    description: 'What people write.',
    version: '2.3.0',
    contact: { name: 'Team Posts', email: 'posts@example.test', url: 'https://posts.example.test/help' },
    state: 'partly-deprecated',
    sunset: '2027-06-30',
    operationCount: 3,
    resources: [ownResource],
  })
  t.same(
    posts.permissions.map(({ id, administratorFor, role }) => [id, administratorFor, role]),
    [
      ['User.Read.All', ['application', 'delegated'], 'member'],
      ['assets_read', ['application', 'delegated'], 'member'],
    ],
  )
  t.match(posts.operations[2], {
    ...{ method: 'GET', path: '/posts/{id}', summary: 'Reads a post', deprecated: true },
    ...{ deprecatedSince: '2026-06-01', sunset: '2027-06-30', link: 'https://docs.example/old' },
    ...{ anyOf: [['User.Read.All']], resource: ownResource },
  })
  t.match(await read('things'), { operations: [{ method: 'GET', path: '/things', resource: 'https://things.test' }] })
  const text = JSON.stringify([all, posts])
  for (const word of ['drafts', 'Deletes everything', '127.0.0.1']) t.notMatch(text, word)
})

t.test('every permission that an application can be given stands with an API', async (t) => {
  const { list, catalogue } = await open(t)
  const listed = new Set(
    (await list()).flatMap(({ permissions }) => permissions.map((one) => `${one.resource} ${one.id}`)),
  )
  t.same(
    catalogue.permissions.map(({ resource, id }) => `${resource} ${id}`).filter((key) => !listed.has(key)),
    [],
  )
})

t.test('a search finds by name, permission and path; each word has to fit', async (t) => {
  const { list } = await open(t)
  const found = async (search: string) =>
    (await list(`?search=${encodeURIComponent(search)}`)).map(({ apiId }) => apiId)
  t.same(await found('allows THINGS'), ['things'])
  t.same(await found('/posts/{id}'), ['posts'])
  t.same(await found('posts things_read'), [])
  t.equal((await found(' ')).length, 4)
})

t.test(
  'what a service says to members is for people of a tenant, not for applications; to nobody, for nobody',
  async (t) => {
    const documented = (documentation: string) =>
      postsRules.replace('file:posts.json', `file:posts.json, documentation: ${documentation}`)
    const { caller, list, part, world, manage } = await open(t, documented('members'))
    caller.principal = atPortal(world.a.member, world.tenantA)
    t.match(await list(), [{ name: 'Posts', version: '2.3.0' }])
    t.match(await part('posts'), { paths: { '/posts': { get: { summary: 'Lists posts' } } } })
    caller.principal = withToken(world, world.tenantA, ['Tenant.Read.All'])
    const seen = JSON.stringify(await list())
    t.notMatch(seen, 'What people write')
    t.match(seen, 'Services behind the gate', 'its routes are listed as in the document for everybody')
    t.equal((await manage('GET', '/apiCatalogue/posts')).statusCode, 404)
    const hidden = await open(t, documented('nobody'))
    hidden.caller.principal = atPortal(hidden.world.a.owner, hidden.world.tenantA)
    t.notMatch(JSON.stringify(await hidden.list()), 'What people write')
    t.equal((await hidden.manage('GET', '/apiCatalogue/posts/openapi.json')).statusCode, 404)
  },
)

t.test('the part of the document is whole for itself and has nothing of others', async (t) => {
  const { part } = await open(t)
  const posts = await part('posts')
  const { valid, errors } = await new Validator().validate(structuredClone(posts) as never)
  t.ok(valid, JSON.stringify(errors))
  t.match(posts, { openapi: '3.1.0', info: { title: 'Posts', version: '2.3.0' } })
  t.same(Object.keys(posts.paths), ['/posts', '/posts/{id}'])
  t.same(
    posts.tags.map(({ name }) => name),
    ['Posts'],
  )
  t.ok(posts.components.schemas['Posts_Post'])
  for (const [, name = ''] of JSON.stringify(posts).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    t.ok(posts.components.schemas[name], name)
  }
  t.notMatch(JSON.stringify(posts), 'things')
})

t.test('an API of a tenant is in the catalogue of its people, and of nobody else', async (t) => {
  const { caller, manage, list, read, world } = await open(t)
  caller.principal = atPortal(world.a.developer, world.tenantA)
  const permissions = [{ id: 'orders.read', describe: 'Reads orders', kinds: ['application'] }]
  t.equal((await manage('POST', '/apis', { shortName: 'orders', name: 'Orders', permissions })).statusCode, 201)
  t.match(await read('orders'), { kind: 'tenant', operationCount: 0, permissions: [{ id: 'orders.read' }] })
  caller.principal = atPortal(world.ownerOfB, world.tenantB)
  t.match(refusal(await manage('GET', '/apiCatalogue/orders')), { status: 404, code: 'ApiNotFound' })
  t.notMatch(JSON.stringify(await list()), 'orders')
})
