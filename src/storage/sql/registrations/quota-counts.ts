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

/** Whether the tenant has `most` members or more, invitations that can be used at `atMs` included. */
export async function isFullOfInvited(
  tx: Statements,
  { tenantId, atMs }: { tenantId: string; atMs: number },
  most: number,
): Promise<boolean> {
  const members = tx.selectFrom('memberships').select('user_id as of').where('tenant_id', '=', tenantId)
  const invited = tx
    .selectFrom('one_time_links')
    .select('hash as of')
    .where('tenant_id', '=', tenantId)
    .where('purpose', '=', 'invitation')
    // A member who is to come in through a provider is counted already.
    .where('user_id', 'is', null)
    .where('used_at', 'is', null)
    .where('expires_at', '>', atMs)
  const those = members.unionAll(invited).limit(most)
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
