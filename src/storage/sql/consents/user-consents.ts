// Queries of what people allowed applications: exactly (user, application, tenant, resource, permission), each a row.

import type { Insertable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type UserConsentRow = Tables['user_consents']
/** Without an end where it says none. */
export type NewUserConsent = Insertable<UserConsentRow>

/** Which rows are meant: all columns given must fit. */
export interface UserConsentFilter {
  user_id?: string | undefined
  application_id?: string | undefined
  tenant_id?: string | undefined
}

/** A person's or an application's consents, by application, tenant, resource and permission. */
export async function listUserConsents(
  statements: Statements,
  filter: UserConsentFilter,
  limit: number,
): Promise<UserConsentRow[]> {
  let query = statements.selectFrom('user_consents').selectAll()
  for (const column of ['user_id', 'application_id', 'tenant_id'] as const) {
    const value = filter[column]
    if (value !== undefined) query = query.where(column, '=', value)
  }
  return query
    .orderBy('application_id')
    .orderBy('tenant_id')
    .orderBy('user_id')
    .orderBy('resource')
    .orderBy('permission_id')
    .limit(limit)
    .execute()
}

/** Records consents; one that exists keeps its time. */
export async function insertUserConsents(tx: Statements, rows: readonly NewUserConsent[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('user_consents')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'application_id', 'tenant_id', 'resource', 'permission_id']).doNothing(),
    )
    .execute()
}

/** Removes consents that are named one by one. */
export async function deleteNamedConsents(
  tx: Statements,
  whose: Readonly<Record<'user_id' | 'application_id' | 'tenant_id', string>>,
  named: readonly Pick<UserConsentRow, 'resource' | 'permission_id'>[],
): Promise<void> {
  for (const { resource, permission_id } of named) {
    let query = tx.deleteFrom('user_consents').where('resource', '=', resource)
    query = query.where('permission_id', '=', permission_id)
    for (const column of ['user_id', 'application_id', 'tenant_id'] as const) {
      query = query.where(column, '=', whose[column])
    }
    await query.execute()
  }
}

/** Removes the consents to one application in one tenant, of one person or of everybody; what was removed. */
export async function deleteUserConsents(
  tx: Statements,
  filter: { application_id: string; tenant_id: string; user_id?: string | undefined },
): Promise<UserConsentRow[]> {
  let query = tx
    .deleteFrom('user_consents')
    .where('application_id', '=', filter.application_id)
    .where('tenant_id', '=', filter.tenant_id)
  if (filter.user_id !== undefined) query = query.where('user_id', '=', filter.user_id)
  const removed = await query.returningAll().execute()
  const key = (row: UserConsentRow) => [row.user_id, row.resource, row.permission_id].join(' ')
  return removed.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}
