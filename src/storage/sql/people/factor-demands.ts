// Queries of who needs a second factor: what decides on one person, and the people of a tenant who have none.

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Statements } from '../store.js'

/** What decides on a person, and where they belong. */
export interface FactorFacts {
  operator: number
  /** Since when they have known that they need one; epoch milliseconds. */
  demandedAt: number | null
  places: readonly FactorPlace[]
}

/** A membership, and what its tenant demands. */
export interface FactorPlace {
  tenantId: string
  role: string
  createdAt: number
  secondFactor: string
  /** Whether the tenant is enabled. */
  isEnabled: boolean
}

/** Undefined when there is no such person. */
export async function readFactorFacts(statements: Statements, userId: string): Promise<FactorFacts | undefined> {
  const rows = await statements
    .selectFrom('users')
    .leftJoin('memberships', 'memberships.user_id', 'users.id')
    .leftJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['users.operator', 'users.factor_demanded_at', 'memberships.tenant_id', 'memberships.role'])
    .select(['memberships.created_at', 'tenants.second_factor', 'tenants.state'])
    .where('users.id', '=', userId)
    .orderBy('memberships.created_at')
    .orderBy('memberships.tenant_id')
    .execute()
  const [first] = rows
  if (first === undefined) return undefined
  return {
    operator: Number(first.operator),
    demandedAt: first.factor_demanded_at === null ? null : Number(first.factor_demanded_at),
    places: rows.flatMap(({ tenant_id: tenantId, role, created_at: createdAt, second_factor: secondFactor, state }) =>
      tenantId === null || role === null || secondFactor === null
        ? []
        : [{ tenantId, role, createdAt: Number(createdAt), secondFactor, isEnabled: state === 'enabled' }],
    ),
  }
}

/** Notes since when a person has known; what was noted first stays. */
export async function noteFactorDemand(tx: Statements, userId: string, atMs: number): Promise<void> {
  await tx
    .updateTable('users')
    .set({ factor_demanded_at: atMs })
    .where('id', '=', userId)
    .where('factor_demanded_at', 'is', null)
    .execute()
}

/** What the server demands of everybody, beside what tenants demand of their own. */
export interface ServerDemand {
  roles: readonly string[]
  operators: boolean
}

/**
 * For a query of users: has to have a second factor, where `tenantId` is or anywhere, and has none; people who are
 * disabled need none.
 */
export function lacksDemandedFactor({
  roles,
  operators,
  tenantId,
}: ServerDemand & { tenantId?: string | undefined }): RawBuilder<SqlBool> {
  const byServer = roles.length === 0 ? sql`1 = 0` : sql`memberships.role in (${sql.join([...roles])})`
  const here = tenantId === undefined ? sql`1 = 1` : sql`memberships.tenant_id = ${tenantId}`
  const asOperator = operators ? sql`users.operator = 1` : sql`1 = 0`
  return sql<SqlBool>`users.state = 'enabled' and users.totp_secret is null
    and not exists (select 1 from passkeys where passkeys.user_id = users.id)
    and (${asOperator} or exists (
      select 1 from memberships join tenants on tenants.id = memberships.tenant_id
      where memberships.user_id = users.id and tenants.state = 'enabled' and ${here} and (
        ${byServer}
        or tenants.second_factor = 'member'
        or (tenants.second_factor = 'developer' and memberships.role in ('developer', 'administrator', 'owner'))
        or (tenants.second_factor = 'administrator' and memberships.role in ('administrator', 'owner'))
        or (tenants.second_factor = 'owner' and memberships.role = 'owner'))))`
}

/** Whether a person has codes of an app, and how many passkeys. */
export async function readFactors(
  statements: Statements,
  userId: string,
): Promise<{ hasCodes: boolean; passkeys: number }> {
  const [user, keys] = await Promise.all([
    statements.selectFrom('users').select('totp_secret').where('id', '=', userId).executeTakeFirst(),
    statements
      .selectFrom('passkeys')
      .select((select) => select.fn.countAll().as('passkeys'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  ])
  return { hasCodes: typeof user?.totp_secret === 'string', passkeys: Number(keys.passkeys) }
}
