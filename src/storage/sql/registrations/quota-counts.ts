// How much of a kind a tenant or a person has, for the quotas: counted by an index and never beyond the given bound.

import type { Statements } from '../store.js'

/** What a tenant may have so and so many of. */
export type Counted = 'applications' | 'memberships' | 'subscriptions'

/** Whether the tenant has `most` of them or more. */
export async function isFull(tx: Statements, table: Counted, tenantId: string, most: number): Promise<boolean> {
  const those = tx.selectFrom(table).select('tenant_id').where('tenant_id', '=', tenantId).limit(most)
  const row = await tx
    .selectFrom(those.as('those'))
    .select((eb) => eb.fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows) >= most
}

/** Whether `most` grants of this person or more stand. */
export async function hasManyGrants(tx: Statements, userId: string, most: number): Promise<boolean> {
  const those = tx
    .selectFrom('grants')
    .select('id')
    .where('user_id', '=', userId)
    .where('state', '=', 'active')
    .limit(most)
  const row = await tx
    .selectFrom(those.as('those'))
    .select((eb) => eb.fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows) >= most
}
