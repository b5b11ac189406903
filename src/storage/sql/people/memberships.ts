// Queries of memberships: who belongs to which tenant, in which role.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type MembershipRow = Tables['memberships']

/** Adds a membership, or sets the role of the one that is there. */
export async function putMembership(tx: Statements, row: MembershipRow): Promise<void> {
  await tx
    .insertInto('memberships')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'tenant_id']).doUpdateSet({ role: row.role, updated_at: row.updated_at }),
    )
    .execute()
}

/** The memberships of a user, of a tenant, or the one of both, the oldest first. */
export async function readMemberships(
  statements: Statements,
  filter: { userId?: string | undefined; tenantId?: string | undefined },
): Promise<MembershipRow[]> {
  let rows = statements.selectFrom('memberships').selectAll()
  if (filter.userId !== undefined) rows = rows.where('user_id', '=', filter.userId)
  if (filter.tenantId !== undefined) rows = rows.where('tenant_id', '=', filter.tenantId)
  return rows.orderBy('created_at').orderBy('user_id').orderBy('tenant_id').execute()
}

/** How many enabled owners there are: of a tenant, or anywhere; without the user that `except` names. */
export async function countOwners(
  statements: Statements,
  filter: { tenantId?: string | undefined; except?: string | undefined },
): Promise<number> {
  let owners = statements
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select((select) => select.fn.countAll().as('owners'))
    .where('memberships.role', '=', 'owner')
    .where('users.state', '=', 'enabled')
  if (filter.tenantId !== undefined) owners = owners.where('memberships.tenant_id', '=', filter.tenantId)
  if (filter.except !== undefined) owners = owners.where('memberships.user_id', '!=', filter.except)
  return Number((await owners.executeTakeFirstOrThrow()).owners)
}

/** The enabled owners and administrators of a tenant who have an address, the oldest first; at most `limit`. */
export async function readAdministrators(
  statements: Statements,
  tenantId: string,
  limit: number,
): Promise<{ userId: string; email: string; language: string }[]> {
  const rows = await statements
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email', 'users.language'])
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.role', 'in', ['owner', 'administrator'])
    .where('users.state', '=', 'enabled')
    .where('users.email', '<>', '')
    .orderBy('memberships.created_at')
    .orderBy('users.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, ...person }) => ({ userId: id, ...person }))
}
