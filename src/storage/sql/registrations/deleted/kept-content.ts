// What is looked for within the rows of deleted applications: who owned them, and which permissions they have.

import type { Statements } from '../../store.js'
import type { Moment } from './deleted-rows.js'
import type { KeptRows } from './kept-rows.js'

/**
 * Somebody owns nothing any more, so that no restore makes them an owner again: anywhere, or in a tenant. Who comes back
 * to the tenant later is not an owner of what waits there.
 */
export async function forgetKeptOwner(tx: Statements, ownerId: string, tenantId?: string): Promise<void> {
  let those = tx.selectFrom('deleted_applications').select(['id', 'kept']).where('kept', 'like', `%${ownerId}%`)
  if (tenantId !== undefined) those = those.where('tenant_id', '=', tenantId)
  for (const { id, kept: text } of await those.execute()) {
    const kept = JSON.parse(text) as KeptRows
    const owners = kept.application_owners ?? []
    const others = owners.filter((owner) => owner['owner_id'] !== ownerId)
    if (others.length === owners.length) continue
    const without = JSON.stringify({ ...kept, application_owners: others })
    await tx.updateTable('deleted_applications').set({ kept: without }).where('id', '=', id).execute()
  }
}

/** The permission ids of a resource that would come back with some deleted application: listed, or consented to. */
export async function permissionsKept(
  tx: Statements,
  resource: string,
  { nowMs, restorableMs }: Moment,
): Promise<string[]> {
  // In the text a resource stands as JSON writes it; what else the pattern finds is left out below.
  const written = JSON.stringify(resource)
  const rows = await tx
    .selectFrom('deleted_applications')
    .select('kept')
    .where('kept', 'like', `%${written.replace(/[\\%_]/g, '_')}%`)
    .where('purge_at', '>', nowMs)
    .where('deleted_at', '>', nowMs - restorableMs)
    .execute()
  const ids = new Set<string>()
  for (const { kept: text } of rows) {
    const kept = JSON.parse(text) as KeptRows
    for (const row of [...(kept.configured_permissions ?? []), ...(kept.permission_grants ?? [])]) {
      if (row['resource'] === resource) ids.add(String(row['permission_id']))
    }
  }
  return [...ids]
}

/** What is kept of these, by id. */
export async function readKept(statements: Statements, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await statements
    .selectFrom('deleted_applications')
    .select(['id', 'kept'])
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map(({ id, kept }) => [id, kept]))
}
