// The world of the test that explanations agree with the gate: applications, people and tenants in the product and,
// side by side, in the model of explain-oracle.ts; and what happens to them, done to both.

import type { LimitPolicy } from '../../../src/config/settings/limit-settings.js'
import type { RouteRequirement, RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { Role } from '../../../src/config/settings/settings.js'
import type { UpstreamSettings } from '../../../src/config/settings/upstream-settings.js'
import { endSecret } from '../../../src/directory/credentials/secrets.js'
import { grantConsent } from '../../../src/directory/permissions/permissions.js'
import type { PermissionRef } from '../../../src/directory/records.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { consentTo, makePerson, redirectUri } from '../rooms/delegation.js'
import { otherResource, ownResource } from '../rooms/directory.js'
import type { ManagementApp } from '../rooms/management.js'
import type { Model, ModelApplication, ModelPolicy, ModelRoute, ModelToken, ModelUser } from './explain-oracle.js'

const both = (application: string[][], delegated: string[][]) => ({ application, delegated })
const same = (...lists: string[][]) => both(lists, lists)

/** The routes as the contract would tell them to a person. */
export const modelRoutes: readonly ModelRoute[] = (
  [
    [
      'me',
      ownResource,
      { GET: both([['User.Read.All']], [['User.Read'], ['User.Read.All']]), PATCH: same(['User.ReadWrite.All']) },
      ['person', 'address'],
    ],
    ['list', ownResource, { GET: same(['assets_read']) }, ['application']],
    ['both', ownResource, { GET: same(['assets_read', 'User.Read.All']) }, ['application', 'tenant']],
    ['developers', ownResource, { GET: same(['Application.Read.All']) }, []],
    ['open', ownResource, { GET: 'public' }, ['address', 'application']],
    ['things', otherResource, { GET: both([['things_read']], []) }, ['tenant']],
    ['lax', ownResource, { GET: same(['assets_read']) }, ['tenant', 'person']],
    ['make', ownResource, { POST: same(['assets_create']) }, []],
  ] as const
).map(
  ([id, resource, needs, limits]) =>
    ({ id, resource, needs, limits, bodyBytes: 100, passesStale: id === 'lax' }) as ModelRoute,
)

export const modelPolicies: Readonly<Record<string, ModelPolicy>> = {
  address: { by: 'address', limit: 20 },
  application: { by: 'application', limit: 6 },
  tenant: { by: 'tenant', limit: 12 },
  person: { by: 'user', limit: 2 },
}

const paths: Readonly<Record<string, string>> = { both: '/api/v2/both/{id}', open: '/open', things: '/things/**' }
const pathOf = (id: string) => paths[id] ?? `/api/v2/${id}`

/**
 * The same for the product. The alternatives of `me` stand in the other order, so that the least is not simply the
 * first.
 */
export function productRoutes(upstream: UpstreamSettings): RouteSettings[] {
  return modelRoutes.map((route, index) => ({
    ...{
      id: route.id,
      path: pathOf(route.id),
      resource: route.resource,
      upstream: upstream.name,
      limits: route.limits,
    },
    methods: new Map<string, RouteRequirement | 'public'>(
      Object.entries(route.needs).map(([method, needs]): [string, RouteRequirement | 'public'] => {
        if (needs === 'public') return [method, needs]
        const lists = [...needs.application, ...needs.delegated].map((list) => list.join(' '))
        return [method, { anyOf: [...new Set(lists)].map((list) => list.split(' ')) }]
      }),
    ),
    ...{ bodyBytes: route.bodyBytes, stream: false, onStale: route.passesStale ? 'pass' : 'refuse' },
    position: { file: '/etc/portcullis/portcullis.yaml', line: 100 + index, column: 3 },
  }))
}

export function productLimits(): Map<string, LimitPolicy> {
  return new Map(
    Object.entries(modelPolicies).map(([name, { by, limit }]) => [
      name,
      { name, by: [by], algorithm: { kind: 'quota', limit, periodMs: 86_400_000 } },
    ]),
  )
}

export interface World {
  model: Model
  applications: ModelApplication[]
  secrets: Map<string, string>
  users: ModelUser[]
  tenants: string[]
  tokens: ModelToken[]
  /** Grows with everything that happens. */
  order: number
}

const ref = (name: string): PermissionRef => {
  const [kind, resource, id] = name.split(' ') as ['application', string, string]
  return { kind, resource, id }
}
const app = (...ids: string[]) =>
  ids.map((id) => `application ${id === 'things_read' ? otherResource : ownResource} ${id}`)
const user = (...ids: string[]) => ids.map((id) => `delegated ${ownResource} ${id}`)

interface Plan {
  type?: 'web' | 'native'
  any?: boolean
  configured: string[]
  /** By administrators at home, and elsewhere. */
  home?: string[]
  away?: string[]
  people?: string[]
  noSecret?: boolean
}

const plans: Plan[] = [
  { configured: app('User.Read.All', 'assets_read'), home: app('User.Read.All', 'assets_read') },
  {
    configured: [...app('User.ReadWrite.All', 'assets_create'), ...user('User.Read', 'assets_read')],
    home: [...app('User.ReadWrite.All'), ...user('assets_read')],
    people: user('User.Read'),
  },
  { configured: app('assets_read', 'assets_create') },
  { configured: [] },
  {
    type: 'native',
    configured: user('User.Read', 'assets_read', 'Application.Read.All'),
    home: user('Application.Read.All'),
    people: user('User.Read', 'assets_read'),
  },
  {
    any: true,
    configured: [...app('assets_read', 'User.Read.All'), ...user('User.Read', 'assets_create')],
    home: app('User.Read.All'),
    away: [...app('assets_read'), ...user('User.Read')],
  },
  { configured: app('things_read', 'assets_read'), home: app('things_read', 'assets_read') },
  { configured: app('assets_read'), home: app('assets_read'), noSecret: true },
  {
    configured: [
      ...app('assets_create', 'User.ReadWrite.All', 'assets_read'),
      ...user('assets_create', 'User.ReadWrite.All', 'Application.ReadWrite.All'),
    ],
    home: [
      ...app('assets_create', 'User.ReadWrite.All', 'assets_read'),
      ...user('assets_create', 'User.ReadWrite.All', 'Application.ReadWrite.All'),
    ],
  },
]

/** Makes everybody, in both. */
export async function makeWorld(testApp: ManagementApp): Promise<World> {
  const { writes, deps } = testApp
  const tenants = [
    (await createTenant(writes, { name: 'Home' })).tenantId,
    (await createTenant(writes, { name: 'Away' })).tenantId,
  ]
  const world: World = {
    ...{ model: newModel(testApp), applications: [], secrets: new Map(), users: [], tenants, tokens: [], order: 1 },
  }
  const [home = '', away = ''] = tenants
  for (const [role, tenant] of [
    ['member', home],
    ['developer', home],
    ['administrator', home],
    ['member', away],
    ['member', home],
  ] as const) {
    const { userId } = await makePerson(deps, tenant, { role })
    world.users.push({
      id: userId,
      disabled: false,
      revokedAt: 0,
      roles: new Map([[tenant, ranks.indexOf(role)]]),
      consents: new Map(),
    })
  }
  for (const [index, plan] of plans.entries()) await makeApplication(testApp, world, plan, index)
  return world
}

export const ranks: readonly Role[] = ['member', 'developer', 'administrator', 'owner']

async function makeApplication(testApp: ManagementApp, world: World, plan: Plan, index: number): Promise<void> {
  const { writes, deps } = testApp
  const [home = '', away = ''] = world.tenants
  const { type = 'web', any = false, configured } = plan
  const made = await testApp.registerDemo({
    ...{ name: `app ${index}`, type, tenantId: home, permissions: configured.map(ref), consentBy: undefined },
    ...{ audience: any ? 'any' : 'home', redirectUris: [redirectUri] },
  })
  const id = made.registration.applicationId
  world.secrets.set(id, made.secret)
  const model: ModelApplication = {
    ...{ id, type, home, anyTenant: any, hasSecret: plan.noSecret !== true, disabled: false, revokedAt: 0 },
    ...{ configured: new Set(configured), granted: new Map() },
  }
  world.applications.push(model)
  if (plan.noSecret === true) await endSecret(writes, { applicationId: id, keyId: made.keyId })
  for (const [tenantId, permissions] of [
    [home, plan.home],
    [away, plan.away],
  ] as const) {
    if (permissions === undefined) continue
    await grantConsent(writes, id, { tenantId, permissions: permissions.map(ref), by: 'test' })
    model.granted.set(tenantId, new Map(permissions.map((name) => [name, 0])))
  }
  if (plan.people === undefined) return
  for (const person of world.users) {
    const permissions = plan.people.map((name) => ref(name).id)
    await consentTo(deps, { userId: person.id, applicationId: id, tenantId: home, permissions })
    person.consents.set(`${id} ${home}`, new Map(plan.people.map((name) => [name, 0])))
  }
}

function newModel({ clock }: ManagementApp): Model {
  return {
    ...{ routes: modelRoutes, policies: modelPolicies, own: ownResource },
    covering: { 'User.Read.All': ['User.ReadWrite.All'], 'Application.Read.All': ['Application.ReadWrite.All'] },
    roleOf: { 'Application.Read.All': 1, 'Application.ReadWrite.All': 1 },
    memberConsentable: new Set(['User.Read']),
    ...{ disabledTenants: new Set(), tenantRevokedAt: new Map(), stale: false, nowMs: clock.nowMs, counts: new Map() },
  }
}
