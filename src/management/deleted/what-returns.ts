// What a restore would bring back, for those who decide about it: in any case, or by choice.

import { isEligible } from '../../directory/applications/owners-in-transaction.js'
import { readNames, readPeopleNames } from '../../storage/sql/ledger/audit-names.js'
import type { KeptRows } from '../../storage/sql/registrations/deleted/kept-rows.js'
import type { Statements } from '../../storage/sql/store.js'
import type { DeletedDetails, Returning } from './deleted-schemas.js'
import { type Kept, toRef } from './restore-rules.js'

/** All of it, as it would be at `nowMs`. Throws StoreUnavailable. */
export async function whatReturns(tx: Statements, { row, kept }: Kept, nowMs: number): Promise<Returning> {
  const application = kept.applications[0] ?? {}
  const secrets = secretsOf(kept, nowMs)
  const keys = keysOf(application['jwks'])
  const federatedCredentials = (kept.federated_credentials ?? []).map((one) => ({
    name: String(one['name']),
    issuer: String(one['issuer']),
    subject: String(one['subject']),
  }))
  const [plan] = kept.application_plans ?? []
  const granted = kept.permission_grants ?? []
  return {
    state: application['state'] === 'disabled' ? 'disabled' : 'enabled',
    verified: Number(row.verified) === 1,
    permissions: permissionsOf(kept),
    redirectUris: (kept.redirect_uris ?? [])
      .filter((one) => one['purpose'] === 'redirect')
      .map(({ uri }) => String(uri)),
    owners: await ownersOf(tx, { row, kept }),
    plan: plan === undefined || plan['plan'] === '' ? null : String(plan['plan']),
    hasOwnLimits: plan !== undefined && plan['overrides'] !== '',
    secrets,
    keys,
    federatedCredentials,
    hasRegistrationToken: (kept.client_registrations ?? []).length > 0,
    credentials: secrets.length + federatedCredentials.length + keys,
    consents: granted.length,
  }
}

/** Secrets of which none is good any more are named too: they do not become good by it. */
function secretsOf({ application_secrets: rows = [] }: KeptRows, nowMs: number): Returning['secrets'] {
  return rows.map((one) => ({
    keyId: String(one['key_id']),
    label: String(one['label']),
    hint: String(one['hint']),
    endsAt: new Date(Number(one['ends_at'])).toISOString(),
    works: Number(one['starts_at']) <= nowMs && nowMs < Number(one['ends_at']),
  }))
}

function keysOf(jwks: unknown): number {
  return typeof jwks === 'string' ? (JSON.parse(jwks) as { keys: unknown[] }).keys.length : 0
}

/** What it has listed, and what it was granted or allowed besides; a permission once. */
function permissionsOf({ configured_permissions, permission_grants, held }: KeptRows): DeletedDetails['permissions'] {
  const found = new Map<string, DeletedDetails['permissions'][number]>()
  const at = (row: Readonly<Record<string, unknown>>) => {
    const ref = toRef(row)
    const key = JSON.stringify([ref.kind, ref.resource, ref.id])
    const one = found.get(key) ?? { ...ref, listed: false, consented: false, tenants: 0, people: 0 }
    found.set(key, one)
    return one
  }
  for (const row of configured_permissions ?? []) at(row).listed = true
  for (const row of permission_grants ?? []) at(row).consented = true
  for (const row of held?.granted ?? []) at({ ...row }).tenants = row.tenants
  for (const row of held?.allowed ?? []) at({ ...row }).people = row.people
  return [...found.values()]
}

async function ownersOf(tx: Statements, { row, kept }: Kept): Promise<Returning['owners']> {
  const owners = (kept.application_owners ?? []).map((one) => ({
    ownerId: String(one['owner_id']),
    kind: one['kind'] === 'user' ? ('user' as const) : ('application' as const),
  }))
  const ids = owners.map(({ ownerId }) => ownerId)
  const named = [...(await readPeopleNames(tx, ids, row.tenant_id)), ...(await readNames(tx, 'applications', ids))]
  const names = new Map(named.map(({ id, name }) => [id, name]))
  const found: Returning['owners'] = []
  for (const owner of owners) {
    found.push({ ...owner, name: names.get(owner.ownerId) ?? '', returns: await isEligible(tx, row, owner) })
  }
  return found
}
