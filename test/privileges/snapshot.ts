// What the Store says at one moment of everything that gives somebody power. The model decides on it; what a call
// changed is the difference of two.

import type { Role } from '../../src/config/settings/settings.js'
import { readRedirectEpochs } from '../../src/directory/applications/redirect-epochs.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import type { Statements } from '../../src/storage/sql/store.js'

export interface PermissionName {
  kind: 'application' | 'delegated'
  resource: string
  id: string
}

export interface KnownPerson {
  userId: string
  isOperator: boolean
  isEnabled: boolean
  /** By tenant. */
  roles: Map<string, Role>
}

export interface KnownApplication {
  applicationId: string
  name: string
  home: string
  isEnabled: boolean
  hasDeviceCodes: boolean
  isVerified: boolean
  configured: PermissionName[]
  /** By tenant: what an administrator there allowed it. */
  granted: Map<string, PermissionName[]>
  /** What single people allowed it. */
  consented: { userId: string; tenantId: string; permission: PermissionName }[]
  owners: Set<string>
  /** Who registered it; empty: the local socket. */
  registrant: string
  /** Grows with each redirect URI on a new origin: anyone who consented is prompted again. */
  epoch: number
  /** Somebody's word about its plan; empty: nobody's. */
  plan: string
  /** What an operator gave it besides; empty: nothing. */
  planNumbers: string
  /** The one that waits. */
  planRequest: { requestId: string; plan: string } | undefined
  /** Those for consent that wait. */
  consentRequests: { requestId: string; tenantId: string; requestedBy: string }[]
}

/** One that can be restored. */
export interface DeletedApplication {
  applicationId: string
  home: string
  /** Empty: the local socket. */
  deletedBy: string
  isVerified: boolean
  configured: PermissionName[]
  owners: string[]
  /** At home. */
  granted: PermissionName[]
  /** What it held when it was deleted, in whatever tenant: of administrators, and of single people. */
  forAll: PermissionName[]
  ofPeople: PermissionName[]
}

export interface KnownWebhook {
  webhookId: string
  home: string
  /** What was sent, or is to be. */
  deliveries: Set<string>
}

export interface Snapshot {
  people: Map<string, KnownPerson>
  applications: Map<string, KnownApplication>
  deleted: Map<string, DeletedApplication>
  webhooks: Map<string, KnownWebhook>
  /** By tenant: the least role of which it demands a second factor, or `none`. */
  demands: Map<string, string>
  /** Each thing that gives power, as one line; a call may add those that it says it adds and no others. */
  facts: Set<string>
}

/** A permission as one word. */
export const spelled = ({ kind, resource, id }: PermissionName): string => `${kind}:${resource}/${id}`

/**
 * Reads everything; in the order of `order`, to which it adds whom it meets first, so that a seed repeats. The words of
 * OpenID Connect are no power here, and the command line's application is nobody's.
 */
export async function takeSnapshot(tx: Statements, order: Map<string, number>): Promise<Snapshot> {
  const people = inOrder(await readPeople(tx), order)
  const applications = inOrder(await readApplications(tx), order)
  applications.delete(commandLineClient.applicationId)
  const deleted = inOrder(await readDeleted(tx), order)
  const webhooks = inOrder(await readWebhooks(tx), order)
  const tenants = await tx.selectFrom('tenants').select(['id', 'second_factor']).execute()
  const demands = new Map(tenants.map(({ id, second_factor: least }) => [id, least]))
  const facts = new Set<string>()
  for (const person of people.values()) {
    if (person.isOperator) facts.add(`operator ${person.userId}`)
    if (person.isEnabled) facts.add(`enabled ${person.userId}`)
    for (const [tenantId, role] of person.roles) facts.add(`role ${tenantId} ${person.userId} ${role}`)
  }
  for (const application of applications.values()) addFacts(facts, application)
  for (const line of await otherFacts(tx)) facts.add(line)
  return { people, applications, deleted, webhooks, demands, facts }
}

function inOrder<T>(found: Map<string, T>, order: Map<string, number>): Map<string, T> {
  for (const id of found.keys()) if (!order.has(id)) order.set(id, order.size)
  const rank = (id: string) => order.get(id) ?? 0
  return new Map([...found].sort(([one], [other]) => rank(one) - rank(other)))
}

function addFacts(facts: Set<string>, one: KnownApplication): void {
  const { applicationId: id } = one
  facts.add(`application ${id} ${one.home}`)
  if (one.isEnabled) facts.add(`live ${id}`)
  if (one.isVerified) facts.add(`verified ${id}`)
  if (one.plan !== '') facts.add(`plan ${id} ${one.plan}`)
  if (one.planNumbers !== '') facts.add(`plan-numbers ${id} ${one.planNumbers}`)
  if (one.hasDeviceCodes) facts.add(`device-codes ${id}`)
  for (const ref of one.configured) facts.add(`configured ${id} ${spelled(ref)}`)
  for (const [tenantId, refs] of one.granted)
    for (const ref of refs) facts.add(`granted ${id} ${tenantId} ${spelled(ref)}`)
  for (const { userId, tenantId, permission } of one.consented) {
    facts.add(`consented ${id} ${tenantId} ${userId} ${spelled(permission)}`)
  }
  for (const owner of one.owners) facts.add(`owner ${id} ${owner}`)
}

async function readPeople(tx: Statements): Promise<Map<string, KnownPerson>> {
  const people = new Map<string, KnownPerson>()
  for (const row of await tx.selectFrom('users').select(['id', 'operator', 'state']).execute()) {
    const isEnabled = row.state === 'enabled'
    people.set(row.id, { userId: row.id, isOperator: Number(row.operator) === 1, isEnabled, roles: new Map() })
  }
  for (const row of await tx.selectFrom('memberships').select(['user_id', 'tenant_id', 'role']).execute()) {
    people.get(row.user_id)?.roles.set(row.tenant_id, row.role as Role)
  }
  return people
}

async function readApplications(tx: Statements): Promise<Map<string, KnownApplication>> {
  const found = new Map<string, KnownApplication>()
  for (const row of await tx.selectFrom('applications').selectAll().execute()) {
    found.set(row.id, {
      ...{ applicationId: row.id, name: row.name, home: row.tenant_id, isEnabled: row.state === 'enabled' },
      ...{ hasDeviceCodes: row.device_codes !== 'off', isVerified: Number(row.verified) === 1 },
      ...{ registrant: row.created_by, epoch: readRedirectEpochs(row.redirect_epochs).current },
      ...{ configured: [], granted: new Map(), consented: [], owners: new Set() },
      ...{ plan: '', planNumbers: '', planRequest: undefined, consentRequests: [] },
    })
  }
  for (const row of await tx
    .selectFrom('configured_permissions')
    .selectAll()
    .orderBy('kind')
    .orderBy('resource')
    .orderBy('permission_id')
    .execute()) {
    found.get(row.application_id)?.configured.push(nameOf(row))
  }
  for (const row of await tx
    .selectFrom('permission_grants')
    .selectAll()
    .orderBy('kind')
    .orderBy('resource')
    .orderBy('permission_id')
    .execute()) {
    const granted = found.get(row.application_id)?.granted
    granted?.set(row.tenant_id, [...(granted.get(row.tenant_id) ?? []), nameOf(row)])
  }
  for (const row of await tx.selectFrom('user_consents').selectAll().where('resource', '!=', 'openid').execute()) {
    const permission = nameOf({ kind: 'delegated', ...row })
    found.get(row.application_id)?.consented.push({ userId: row.user_id, tenantId: row.tenant_id, permission })
  }
  for (const row of await tx.selectFrom('application_owners').selectAll().orderBy('added_at').execute()) {
    found.get(row.application_id)?.owners.add(row.owner_id)
  }
  for (const row of await tx.selectFrom('application_plans').selectAll().execute()) {
    const one = found.get(row.application_id)
    if (one !== undefined) Object.assign(one, { plan: row.plan, planNumbers: row.overrides })
  }
  for (const row of await tx.selectFrom('plan_requests').selectAll().where('declined_at', '=', 0).execute()) {
    const one = found.get(row.application_id)
    if (one !== undefined) one.planRequest = { requestId: row.id, plan: row.plan }
  }
  for (const row of await tx.selectFrom('consent_requests').selectAll().where('state', '=', 'pending').execute()) {
    const waiting = { requestId: row.id, tenantId: row.tenant_id, requestedBy: row.requested_by }
    found.get(row.application_id)?.consentRequests.push(waiting)
  }
  return found
}

async function readDeleted(tx: Statements): Promise<Map<string, DeletedApplication>> {
  const rows = await tx.selectFrom('deleted_applications').selectAll().orderBy('deleted_at').execute()
  return new Map(
    rows.map((row) => {
      const { held, ...kept } = JSON.parse(row.kept) as Record<string, NamedRow[] | undefined> & {
        held: { granted: NamedRow[]; allowed: Omit<NamedRow, 'kind'>[] }
        application_owners: { owner_id: string }[] & NamedRow[]
      }
      const named = (rows: readonly NamedRow[] = []) => rows.map(nameOf).filter(({ resource }) => resource !== 'openid')
      return [
        row.id,
        {
          ...{ applicationId: row.id, home: row.tenant_id, deletedBy: row.deleted_by },
          isVerified: Number(row.verified) === 1,
          configured: named(kept['configured_permissions']),
          owners: kept.application_owners.map((owner) => owner.owner_id),
          granted: named(kept['permission_grants']),
          forAll: named(held.granted),
          ofPeople: named(held.allowed.map((one) => ({ kind: 'delegated', ...one }))),
        },
      ]
    }),
  )
}

type NamedRow = Parameters<typeof nameOf>[0]

async function readWebhooks(tx: Statements): Promise<Map<string, KnownWebhook>> {
  const rows = await tx.selectFrom('webhooks').select(['id', 'tenant_id']).orderBy('created_at').execute()
  const found = new Map(
    rows.map(({ id, tenant_id: home }) => [id, { webhookId: id, home, deliveries: new Set<string>() }]),
  )
  const sent = await tx.selectFrom('event_deliveries').select(['id', 'webhook_id']).orderBy('position').execute()
  for (const row of sent) found.get(row.webhook_id)?.deliveries.add(row.id)
  return found
}

function nameOf(row: { kind: string; resource: string; permission_id: string }): PermissionName {
  const kind = row.kind === 'application' ? 'application' : 'delegated'
  return { kind, resource: row.resource, id: row.permission_id }
}

/** Credentials and ways in. */
async function otherFacts(tx: Statements): Promise<string[]> {
  const secrets = await tx.selectFrom('application_secrets').select(['application_id', 'key_id', 'ends_at']).execute()
  const uris = await tx.selectFrom('redirect_uris').select(['application_id', 'uri']).execute()
  const trusted = await tx.selectFrom('federated_credentials').select(['application_id', 'id']).execute()
  const links = await tx
    .selectFrom('one_time_links')
    .select(['hash', 'purpose', 'role', 'tenant_id', 'user_id'])
    .execute()
  const tokens = await tx.selectFrom('registration_tokens').select(['id', 'tenant_id', 'permissions']).execute()
  const brands = await tx.selectFrom('tenant_brands').select(['tenant_id', 'terms']).execute()
  const said = await tx.selectFrom('application_brands').select(['application_id', 'terms']).execute()
  const tenants = await tx.selectFrom('tenants').select(['id', 'state', 'second_factor']).execute()
  const webhooks = await tx.selectFrom('webhooks').selectAll().execute()
  const waiting = tx.selectFrom('event_deliveries').select(['id', 'webhook_id']).where('state', '=', 'waiting')
  return [
    ...secrets.map((row) => `secret ${row.application_id} ${row.key_id}`),
    ...uris.map((row) => `redirect ${row.application_id} ${row.uri}`),
    ...trusted.map((row) => `federated ${row.application_id} ${row.id}`),
    ...links.map(
      (row) =>
        `link ${row.purpose}${row.purpose === 'invitation' && row.user_id !== null ? ' of the known' : ''} ${row.role ?? row.user_id} ${row.tenant_id} ${row.hash}`,
    ),
    ...tokens.map((row) => `registration-token ${row.tenant_id} ${row.id}`),
    ...brands.map((row) => `brand ${row.tenant_id} ${row.terms}`),
    ...said.map((row) => `brand ${row.application_id} ${row.terms}`),
    ...tenants.map((row) => `tenant ${row.id} ${row.state}`),
    ...tenants.map((row) => `demand ${row.id} ${row.second_factor}`),
    ...webhooks.map((row) => `webhook ${row.tenant_id} ${row.id} ${row.enabled} ${row.url} ${row.events}`),
    ...webhooks.map((row) => `webhook-secret ${row.id} ${row.secret}`),
    ...(await waiting.execute()).map((row) => `waiting ${row.webhook_id} ${row.id}`),
  ]
}
