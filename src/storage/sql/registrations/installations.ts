// Queries of installations (an application in a tenant) and of what that tenant's administrators consented to.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type GrantRow = Tables['permission_grants']

/** An installation as the Store has it; grants in a stable order. */
export interface InstallationRecord {
  installation: Tables['installations']
  grants: GrantRow[]
}

/**
 * The installations of an application: the one in `tenantId`, or all of them. Call it in a transaction or a snapshot.
 */
export async function readInstallations(
  statements: Statements,
  applicationId: string,
  tenantId?: string,
): Promise<InstallationRecord[]> {
  let installed = statements.selectFrom('installations').selectAll().where('application_id', '=', applicationId)
  let granted = statements.selectFrom('permission_grants').selectAll().where('application_id', '=', applicationId)
  if (tenantId !== undefined) {
    installed = installed.where('tenant_id', '=', tenantId)
    granted = granted.where('tenant_id', '=', tenantId)
  }
  const rows = await installed.orderBy('tenant_id').execute()
  const grants = await granted.orderBy('resource').orderBy('permission_id').orderBy('kind').execute()
  return rows.map((installation) => ({
    installation,
    grants: grants.filter((grant) => grant.tenant_id === installation.tenant_id),
  }))
}

/** Installs an application in a tenant; nothing happens when it is installed already. */
export async function insertInstallation(
  tx: Statements,
  row: Omit<Tables['installations'], 'redirect_epoch'>,
): Promise<void> {
  await tx
    .insertInto('installations')
    .values({ ...row, redirect_epoch: 0 })
    .onConflict((conflict) => conflict.columns(['application_id', 'tenant_id']).doNothing())
    .execute()
}

/** Records consents; one that exists keeps its time and its author. */
export async function insertGrants(tx: Statements, rows: readonly GrantRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('permission_grants')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['application_id', 'tenant_id', 'kind', 'resource', 'permission_id']).doNothing(),
    )
    .execute()
}

/** Removes one consent; false when it was not there. */
export async function deleteGrant(
  tx: Statements,
  grant: Omit<GrantRow, 'granted_at' | 'granted_by'>,
): Promise<boolean> {
  const removed = await tx
    .deleteFrom('permission_grants')
    .where('application_id', '=', grant.application_id)
    .where('tenant_id', '=', grant.tenant_id)
    .where('kind', '=', grant.kind)
    .where('resource', '=', grant.resource)
    .where('permission_id', '=', grant.permission_id)
    .returning('permission_id')
    .executeTakeFirst()
  return removed !== undefined
}
