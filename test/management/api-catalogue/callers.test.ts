// Who still calls an API: applications by route, of the caller's tenant alone, and of all tenants for operators.

import t, { type Test } from 'tap'
import type { TokenPrincipal } from '../../../src/access/principal.js'
import type { Callers } from '../../../src/management/api-catalogue/callers.js'
import type { CatalogueApi } from '../../../src/management/api-catalogue/catalogue-schemas.js'
import { atPortal, openWorld } from '../../support/models/isolation.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openManagement, refusal } from '../../support/rooms/management.js'
import { postsRules, postsService, servedDocument } from '../../support/settings/served-document.js'

async function open(t: Test) {
  const { settings, document } = servedDocument(t, postsRules, { 'posts.json': postsService })
  const { routes, upstreams } = settings
  const testApp = await openManagement(t, { document, routes, upstreams })
  const world = await openWorld(testApp)
  const { tenantA, tenantB } = world
  const made = async (name: string, tenantId: string) => (await testApp.registerDemo({ name, tenantId })).registration
  const [reader, other] = [await made('reader', tenantA), await made('other', tenantB)]
  const call = ({ applicationId, tenantId }: typeof reader, id: string, times: number) => {
    const principal = { kind: 'application', applicationId, tenantId, resource: ownResource }
    for (let i = 0; i < times; i += 1) testApp.usage.allowed(principal as unknown as TokenPrincipal, { id }, [])
  }
  const callers = async (query = '') =>
    (await testApp.manage('GET', `/apiCatalogue/posts/callers${query}`)).json<Callers>()
  return { ...testApp, world, reader, other, call, callers }
}

t.test('applications by route, in the tenant of the caller; operators see all tenants', async (t) => {
  const { world, reader, other, call, callers, caller, manage, usage, clock } = await open(t)
  call(reader, 'GET /posts/{id}', 7)
  call(reader, 'GET /posts', 2)
  call(reader, 'GET /things', 5)
  call(other, 'GET /posts/{id}', 3)
  usage.refused({ kind: 'application', ...reader, resource: ownResource } as never, 'GET /posts/{id}', 403)
  await usage.flush()
  const { operations } = (await manage('GET', '/apiCatalogue/posts')).json<CatalogueApi>()
  const { operationId = '' } = operations.find(({ path }) => path === '/posts/{id}') ?? {}
  caller.principal = atPortal(world.a.developer, world.tenantA)
  const own = await callers()
  t.match(own, { tenantId: world.tenantA, complete: true })
  t.same(
    own.value.map(({ route, name, lastHour, lastDay, lastThirtyDays }) => [
      route,
      name,
      lastHour,
      lastDay,
      lastThirtyDays,
    ]),
    [
      ['GET /posts/{id}', 'reader', 8, 8, 8],
      ['GET /posts', 'reader', 2, 2, 2],
    ],
    'refused calls are calls; of other APIs and tenants nothing',
  )
  const one = await callers(`?operationId=${operationId}`)
  t.same(
    one.value.map(({ route }) => route),
    ['GET /posts/{id}'],
  )
  t.match(refusal(await manage('GET', '/apiCatalogue/posts/callers?operationId=none')), { status: 404 })
  t.match(refusal(await manage('GET', '/apiCatalogue/posts/callers?everywhere=true')), {
    ...{ status: 403, code: 'OperatorRequired' },
  })
  t.equal((await manage('GET', '/apiCatalogue/unknown/callers')).statusCode, 404)
  caller.principal = atPortal(world.a.member, world.tenantA)
  t.equal((await manage('GET', '/apiCatalogue/posts/callers')).statusCode, 403, 'members see no usage')
  caller.principal = atPortal(world.operatorOfB, world.tenantB)
  t.same(
    (await callers()).value.map(({ name }) => name),
    ['other'],
  )
  const all = await callers('?everywhere=true')
  t.equal(all.tenantId, null)
  t.same(all.value.map(({ name, homeTenantId }) => [name, homeTenantId === world.tenantA]).slice(0, 2), [
    ['reader', true],
    ['other', false],
  ])
  clock.nowMs += 26 * 3_600_000
  caller.principal = atPortal(world.a.developer, world.tenantA)
  t.match((await callers()).value[0], { lastHour: 0, lastDay: 0, lastThirtyDays: 8 }, 'the days remember')
  clock.nowMs += 31 * 86_400_000
  t.same((await callers()).value, [])
})
