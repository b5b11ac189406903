// The ends of days: which day still takes counts, and up to where ended days were told of. Days since 1970 in UTC.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type UsageDays = Omit<Tables['usage_days'], 'id'>

const columns = ['open_day', 'next_day', 'next_tenant', 'next_part'] as const

/** As it stands now. Locks nothing. */
export async function readUsageDays(statements: Statements): Promise<UsageDays> {
  const query = statements.selectFrom('usage_days').select(columns).where('id', '=', 1)
  return numbered(await query.executeTakeFirstOrThrow())
}

/** Locks it for the rest of the transaction. The first statement of its transaction. */
export async function lockUsageDays(tx: Statements): Promise<UsageDays> {
  const query = tx.updateTable('usage_days').set((eb) => ({ open_day: eb.ref('open_day') }))
  return numbered(await query.where('id', '=', 1).returning(columns).executeTakeFirstOrThrow())
}

/** The first day that still takes counts. It stays that until the transaction is over, and nobody waits to read it. */
export async function holdOpenDay(tx: Statements): Promise<number> {
  const query = tx.selectFrom('usage_days').select('open_day').where('id', '=', 1).forShare()
  return Number((await query.executeTakeFirstOrThrow()).open_day)
}

/** Writes it. After lockUsageDays. */
export async function setUsageDays(tx: Statements, days: Partial<UsageDays>): Promise<void> {
  await tx.updateTable('usage_days').set(days).where('id', '=', 1).execute()
}

function numbered({ open_day, next_day, next_tenant, next_part }: UsageDays): UsageDays {
  return { open_day: Number(open_day), next_day: Number(next_day), next_tenant, next_part: Number(next_part) }
}
