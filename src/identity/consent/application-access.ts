// Which applications have access: for a person, what they allowed and what applications hold for them now; for a
// tenant, what its administrators allowed for everybody.

import { type ApplicationBrand, noApplicationBrand } from '../../directory/brands/application-brand.js'
import { findApplicationLogos } from '../../directory/brands/application-logos.js'
import { notOver } from '../../directory/consents/consent-end.js'
import { listConsents } from '../../directory/consents/consents.js'
import type { PermissionRef, Registration, Tenant } from '../../directory/records.js'
import { compareNames } from '../../naming/name-order.js'
import { listTokenExchanges, type TokenExchangeRow } from '../../storage/sql/consents/token-exchanges.js'
import { listHeldGrants } from '../../storage/sql/grants/held-grants.js'
import { listTenantGrants } from '../../storage/sql/registrations/tenant-consents.js'
import type { IdentityDependencies } from '../dependencies.js'

export interface HeldAccess {
  registration: Registration
  /** Its logo; the links stand where somebody decides. */
  claim: ApplicationBrand
  tenant: Tenant
  /** When each was allowed, epoch ms. */
  permissions: readonly (PermissionRef & { grantedAt: number })[]
  /** Epoch ms. */
  since: number
  /** When it last got a token; undefined when that is not known. */
  lastUsedAt: number | undefined
  /** When the first of it is over by itself, epoch ms; undefined: never. */
  endsAt: number | undefined
  /** What it got for the person on the calls of other applications, by name. */
  calledBy: readonly CalledBy[]
}

/** An application on whose calls another one went on, and with what. */
export interface CalledBy {
  registration: Registration
  permissions: readonly PermissionRef[]
  /** Epoch ms. */
  lastAt: number
}

type Deps = Pick<IdentityDependencies, 'store' | 'directory' | 'now'>
interface Held {
  permissions: HeldAccess['permissions'][number][]
  since: number
  lastUsedAt: number | undefined
  endsAt: number | undefined
  exchanges: TokenExchangeRow[]
}

/** More than a page can show. */
const mostGrants = 2000

/** What a person's applications have, by name. Throws StoreUnavailable. */
export async function accessOfUser(deps: Deps, userId: string): Promise<HeldAccess[]> {
  const [consents, grants, exchanges] = await Promise.all([
    listConsents(deps.store.reader, { userId }),
    listHeldGrants(deps.store.reader, userId, deps.now()),
    listTokenExchanges(deps.store.reader, userId, mostGrants),
  ])
  const held = new Map<string, Held>()
  for (const { applicationId, tenantId, grantedAt, kind, resource, id, end } of notOver(consents, deps.now())) {
    const one = add(held, `${applicationId} ${tenantId}`, grantedAt)
    one.permissions.push({ kind, resource, id, grantedAt })
    if (end !== undefined) one.endsAt = Math.min(one.endsAt ?? end.endsAt, end.endsAt)
  }
  for (const row of grants) {
    add(held, `${row.application_id} ${row.tenant_id}`, row.since).lastUsedAt = row.last_used_at
  }
  for (const row of exchanges) {
    const one = add(held, `${row.application_id} ${row.tenant_id}`, Number(row.first_at))
    one.exchanges.push(row)
    one.lastUsedAt = Math.max(one.lastUsedAt ?? 0, Number(row.last_at))
  }
  return described(deps, held)
}

/** What administrators allowed in these tenants, by name. Throws StoreUnavailable. */
export async function accessOfTenants(deps: Deps, tenantIds: readonly string[]): Promise<HeldAccess[]> {
  const held = new Map<string, Held>()
  for (const row of await listTenantGrants(deps.store.reader, tenantIds, mostGrants)) {
    const kind = row.kind === 'application' ? 'application' : 'delegated'
    const grantedAt = Number(row.granted_at)
    const one = add(held, `${row.application_id} ${row.tenant_id}`, grantedAt)
    one.permissions.push({ kind, resource: row.resource, id: row.permission_id, grantedAt })
  }
  return described(deps, held)
}

function add(held: Map<string, Held>, key: string, since: number): Held {
  const one = held.get(key) ?? { permissions: [], since, lastUsedAt: undefined, endsAt: undefined, exchanges: [] }
  one.since = Math.min(one.since, since)
  held.set(key, one)
  return one
}

async function described(deps: Deps, held: ReadonlyMap<string, Held>): Promise<HeldAccess[]> {
  const ids = new Set([...held.keys()].map((key) => key.split(' ')[0] ?? ''))
  const logos = await findApplicationLogos(deps.store.reader, [...ids])
  const all = await Promise.all(
    [...held].map(async ([key, one]) => {
      const [applicationId = '', tenantId = ''] = key.split(' ')
      const [registration, tenant] = await Promise.all([
        deps.directory.findRegistration(applicationId),
        deps.directory.findTenant(tenantId),
      ])
      if (registration === undefined || tenant === undefined) return []
      const claim = { ...noApplicationBrand, logo: logos.get(applicationId) }
      const { exchanges, ...rest } = one
      return [{ registration, tenant, claim, ...rest, calledBy: await callersOf(deps, exchanges) }]
    }),
  )
  return all
    .flat()
    .sort(
      (a, b) => compareNames(a.registration.name, b.registration.name) || compareNames(a.tenant.name, b.tenant.name),
    )
}

async function callersOf(deps: Deps, exchanges: readonly TokenExchangeRow[]): Promise<CalledBy[]> {
  const callers = new Map<string, { permissions: PermissionRef[]; lastAt: number }>()
  for (const { caller_id, resource, permissions, last_at } of exchanges) {
    const one = callers.get(caller_id) ?? { permissions: [], lastAt: 0 }
    one.permissions.push(...permissions.split(' ').map((id) => ({ kind: 'delegated' as const, resource, id })))
    one.lastAt = Math.max(one.lastAt, Number(last_at))
    callers.set(caller_id, one)
  }
  const all = await Promise.all(
    [...callers].map(async ([applicationId, one]) => {
      const registration = await deps.directory.findRegistration(applicationId)
      return registration === undefined ? [] : [{ registration, ...one }]
    }),
  )
  return all.flat().sort((a, b) => compareNames(a.registration.name, b.registration.name))
}
