// A small world that random people act in: two tenants, people in every role, an operator, somebody who belongs to
// both, and an API of a tenant with permissions for every role. It is put back to its beginning every few hundred
// calls.

import { randomUUID } from 'node:crypto'
import type { Role } from '../../src/config/settings/settings.js'
import { rememberInTransaction } from '../../src/directory/consents/consents.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { write } from '../../src/directory/writes.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { createUser } from '../../src/users/accounts/users.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { atPortal } from '../support/models/isolation.js'
import type { ManagementApp } from '../support/rooms/management.js'
import type { Rules } from './model.js'
import { type PermissionName, type Snapshot, takeSnapshot } from './snapshot.js'

export interface World {
  testApp: ManagementApp
  rules: Rules
  tenants: readonly [string, string]
  /** A tenant to which nobody belongs in the beginning. */
  empty: string
  /** What applications are configured with and granted. */
  refs: readonly PermissionName[]
  /** By application: people and applications that have had a credential or a token of it. */
  holders: Map<string, Set<string>>
  /** Of people and applications, as they came. */
  order: Map<string, number>
  /** Number of the newest row of the ledger that was seen. */
  ledgerHead: number
}

const ownIds = [
  ...['Application.ReadWrite.All', 'Consent.ReadWrite.All', 'Member.ReadWrite.All', 'Application.Read.All'],
  ...['Event.ReadWrite.All', 'Tenant.ReadWrite.All'],
]
const forPeople = ['Server.ReadWrite', 'Server.Read', 'User.Read']

/** Who there is, by tenant. */
const cast: readonly { roles: readonly [Role | undefined, Role | undefined]; operator?: true }[] = [
  { roles: ['owner', undefined] },
  { roles: ['administrator', undefined] },
  { roles: ['developer', undefined] },
  { roles: ['developer', undefined] },
  { roles: ['member', undefined] },
  { roles: [undefined, 'owner'] },
  { roles: [undefined, 'administrator'] },
  { roles: [undefined, 'developer'] },
  { roles: ['developer', 'administrator'] },
  { roles: ['owner', undefined], operator: true },
  { roles: [undefined, 'member'], operator: true },
]

/** The tenants and the API; call `restore` for the people. */
export async function openWorld(testApp: ManagementApp): Promise<World> {
  const first = (await createTenant(testApp.writes, { name: 'First of the privileges' })).tenantId
  const second = (await createTenant(testApp.writes, { name: 'Second of the privileges' })).tenantId
  const empty = (await createTenant(testApp.writes, { name: 'Empty of the privileges' })).tenantId
  const permissions = [
    { id: 'look', describe: 'Look', kinds: ['delegated', 'application'], role: 'member', adminConsent: false },
    { id: 'audit', describe: 'Audit', kinds: ['delegated'], role: 'member', adminConsent: true },
    { id: 'approve', describe: 'Approve', kinds: ['delegated'], role: 'administrator', adminConsent: false },
    { id: 'vault', describe: 'Vault', kinds: ['delegated', 'application'], role: 'owner', adminConsent: true },
  ]
  testApp.caller.principal = { kind: 'local' }
  const made = await testApp.manage('POST', '/apis', { tenantId: first, shortName: 'pay', name: 'Pay', permissions })
  const { identifier } = made.json()
  if (made.statusCode !== 201) throw new Error(made.body)
  const own = testApp.catalogue.own.id
  const name = (kind: PermissionName['kind'], resource: string) => (id: string) => ({ kind, resource, id })
  const refs = [
    ...ownIds.flatMap((id) => [name('application', own)(id), name('delegated', own)(id)]),
    ...forPeople.map(name('delegated', own)),
    ...['look', 'audit', 'approve', 'vault'].map(name('delegated', identifier)),
    ...['look', 'vault'].map(name('application', identifier)),
  ]
  const rules = { own, permissions: testApp.settings.catalogue.permissions }
  return { testApp, rules, tenants: [first, second], empty, refs, holders: new Map(), order: new Map(), ledgerHead: 0 }
}

/** What there is now. */
export const look = ({ testApp, order }: World): Promise<Snapshot> =>
  testApp.store.snapshot((tx) => takeSnapshot(tx, order))

/** Everybody anew, and applications that hold what is worth coming by. */
export async function restore(world: World): Promise<void> {
  const { testApp, tenants, empty, holders } = world
  testApp.caller.principal = { kind: 'local' }
  // It has an owner now, of whom it could not be without.
  await testApp.store.transaction((tx) => tx.deleteFrom('memberships').where('tenant_id', '=', empty).execute())
  const before = await look(world)
  for (const id of before.applications.keys()) await testApp.manage('DELETE', `/applications/${id}`)
  const people = await enact(world)
  world.order.clear()
  for (const userId of people) world.order.set(userId, world.order.size)
  for (const id of await populate(world, people)) world.order.set(id, world.order.size)
  for (const { userId } of before.people.values()) {
    if (people.includes(userId)) continue
    const { statusCode, body } = await testApp.manage('DELETE', `/users/${userId}`)
    if (statusCode !== 204) throw new Error(body)
  }
  await testApp.store.transaction(async (tx) => {
    await tx.deleteFrom('one_time_links').execute()
    await tx.deleteFrom('registration_tokens').execute()
    await tx.deleteFrom('deleted_applications').execute()
    await tx.updateTable('tenants').set({ second_factor: 'none' }).execute()
    await tx
      .deleteFrom('tenants')
      .where('id', 'not in', [...tenants, empty])
      .where('name', 'like', 'Made %')
      .execute()
  })
  await hook(world)
  holders.clear()
}

/** One webhook in each tenant, with what was delivered and what was given up. */
async function hook({ testApp, tenants, order }: World): Promise<void> {
  await testApp.store.transaction(async (tx) => {
    await tx.deleteFrom('event_deliveries').execute()
    await tx.deleteFrom('webhooks').execute()
  })
  for (const [index, tenantId] of tenants.entries()) {
    const body = { url: `https://${randomUUID()}.example/hook`, events: ['*'], tenantId }
    const made = await testApp.manage('POST', '/webhooks', body)
    if (made.statusCode !== 201) throw new Error(made.body)
    const { id } = made.json()
    order.set(id, order.size)
    const now = testApp.writes.now()
    const deliveries = ['delivered', 'dead', 'dead'].map((state, at) => ({
      ...{ id: randomUUID(), webhook_id: id, position: index * 10 + at, event_id: randomUUID(), type: 'test' },
      ...{ body: '{}', created_at: now, state, attempts: 1, next_at: now, last_at: now, last_ms: 1 },
      ...{ last_status: 500, last_reason: 'status' },
    }))
    await testApp.store.transaction((tx) => tx.insertInto('event_deliveries').values(deliveries).execute())
  }
}

async function enact({ testApp, tenants }: World): Promise<string[]> {
  const { users } = testApp.deps
  const made: string[] = []
  for (const { roles, operator } of cast) {
    const id = randomUUID()
    const { userId } = await createUser(users, { email: `${id}@world.test`, name: `Person ${id}`, emailVerified: true })
    for (const [index, role] of roles.entries()) {
      const tenantId = tenants[index] ?? ''
      if (role !== undefined) await addMembership(users, { tenantId, userId, role })
    }
    if (operator === true) await setOperator(users, userId, true)
    made.push(userId)
  }
  return made
}

/** Of an application that is there from the beginning: whose it is, by number in the cast, and what it has. */
interface Furniture {
  /** Without one, the local socket registered it. */
  by?: number
  owner?: number
  tenant: 0 | 1
  permissions: readonly PermissionName[]
  /** An administrator allowed it for all; or these people for themselves. */
  allowed: 'all' | readonly number[]
}

function furniture({ rules: { own }, refs }: World): Furniture[] {
  const pay = refs.find(({ id }) => id === 'approve')?.resource ?? ''
  const delegated = (id: string, resource = own): PermissionName => ({ kind: 'delegated', resource, id })
  const applicationPermission = (id: string): PermissionName => ({ kind: 'application', resource: own, id })
  const [manage, people] = ['Application.ReadWrite.All', 'Member.ReadWrite.All']
  return [
    {
      owner: 2,
      tenant: 0,
      permissions: [applicationPermission(people), applicationPermission(manage)],
      allowed: 'all',
    },
    { owner: 7, tenant: 1, permissions: [applicationPermission(people)], allowed: 'all' },
    { by: 2, tenant: 0, permissions: [delegated('approve', pay), delegated('look', pay)], allowed: [1, 0] },
    { by: 3, tenant: 0, permissions: [delegated(manage)], allowed: 'all' },
    { by: 1, tenant: 0, permissions: [delegated(manage), delegated('Consent.ReadWrite.All')], allowed: 'all' },
    { by: 2, tenant: 0, permissions: [delegated(people), delegated(manage)], allowed: [0, 1] },
    { owner: 3, tenant: 0, permissions: [delegated('Server.ReadWrite'), delegated(manage)], allowed: 'all' },
    { by: 0, tenant: 0, permissions: [], allowed: [] },
  ]
}

async function populate(world: World, people: readonly string[]): Promise<string[]> {
  const { testApp, tenants } = world
  const made: string[] = []
  for (const { by, owner, tenant, permissions, allowed } of furniture(world)) {
    const tenantId = tenants[tenant]
    const registrant = by === undefined ? undefined : people[by]
    testApp.caller.principal = registrant === undefined ? { kind: 'local' } : atPortal(registrant, tenantId)
    const body = { name: `app ${randomUUID()}`, type: 'web', ...(registrant === undefined ? { tenantId } : {}) }
    const id = (await testApp.manage('POST', '/applications', body)).json().applicationId as string
    testApp.caller.principal = { kind: 'local' }
    if (owner !== undefined) await testApp.manage('POST', `/applications/${id}/owners`, { userId: people[owner] })
    await testApp.manage('PUT', `/applications/${id}/permissions`, { permissions })
    if (allowed === 'all') await testApp.manage('POST', `/applications/${id}/consents`, {})
    else {
      for (const one of allowed) {
        await allow(world, {
          userId: people[one] ?? '',
          applicationId: id,
          tenantId,
          permissions,
          byAdministrator: true,
        })
      }
    }
    made.push(id)
  }
  return made
}

/** As the consent page lets somebody, for themselves. */
export async function allow(
  { testApp: { writes } }: World,
  consent: Parameters<typeof rememberInTransaction>[2],
): Promise<void> {
  await write(writes, (writing) => rememberInTransaction(writes, writing, consent))
}
