// Queries of the APIs that tenants define.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type ApiRow = Tables['apis']
export type ApiPermissionRow = Tables['api_permissions']
export type ApiRecord = ApiRow & { permissions: ApiPermissionRow[] }

/**
 * Those of a tenant, or without one all, by identifier, with their permissions. Several statements: read in a
 * transaction.
 */
export async function readApis(
  statements: Statements,
  filter: { tenantId?: string | undefined; id?: string | undefined } = {},
): Promise<ApiRecord[]> {
  let query = statements.selectFrom('apis').selectAll()
  if (filter.tenantId !== undefined) query = query.where('tenant_id', '=', filter.tenantId)
  if (filter.id !== undefined) query = query.where('id', '=', filter.id)
  const rows = await query.orderBy('identifier').execute()
  if (rows.length === 0) return []
  const permissions = await statements
    .selectFrom('api_permissions')
    .innerJoin('apis', 'apis.id', 'api_permissions.api_id')
    .selectAll('api_permissions')
    .$if(filter.tenantId !== undefined, (of) => of.where('apis.tenant_id', '=', filter.tenantId ?? ''))
    .$if(filter.id !== undefined, (of) => of.where('apis.id', '=', filter.id ?? ''))
    .orderBy('permission_id')
    .execute()
  return rows.map((row) => ({ ...row, permissions: permissions.filter(({ api_id }) => api_id === row.id) }))
}

/** Writes the API as it is now, its permissions included. */
export async function putApi(tx: Statements, { permissions, ...row }: ApiRecord): Promise<void> {
  const { name, updated_at } = row
  await tx
    .insertInto('apis')
    .values(row)
    .onConflict((of) => of.column('id').doUpdateSet({ name, updated_at }))
    .execute()
  await tx.deleteFrom('api_permissions').where('api_id', '=', row.id).execute()
  if (permissions.length > 0) await tx.insertInto('api_permissions').values(permissions).execute()
}

/** Deletes it with its permissions; false when there is none. */
export async function deleteApiRow(tx: Statements, id: string): Promise<boolean> {
  await tx.deleteFrom('api_permissions').where('api_id', '=', id).execute()
  const removed = await tx.deleteFrom('apis').where('id', '=', id).returning('id').executeTakeFirst()
  return removed !== undefined
}

/** The permission ids of a resource that some application has configured or was granted. */
export async function permissionsInUse(tx: Statements, resource: string): Promise<string[]> {
  const ids = new Set<string>()
  for (const table of ['configured_permissions', 'permission_grants', 'user_consents'] as const) {
    const rows = await tx
      .selectFrom(table)
      .select('permission_id')
      .where('resource', '=', resource)
      .distinct()
      .execute()
    for (const { permission_id } of rows) ids.add(permission_id)
  }
  return [...ids]
}
