// Which secrets end soon, and of which that was said already.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** A secret that lives and ends, and whose it is. Epoch ms. */
export interface EndingSecret {
  key_id: string
  application_id: string
  tenant_id: string
  label: string
  starts_at: number
  ends_at: number
}

/** Secrets of enabled applications that end after `nowMs` and not after `untilMs`; the next to end first. */
export async function listEndingSecrets(
  statements: Statements,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
  limit: number,
): Promise<EndingSecret[]> {
  const rows = await statements
    .selectFrom('application_secrets as secret')
    .innerJoin('applications as application', 'application.id', 'secret.application_id')
    .where('secret.ends_at', '>', nowMs)
    .where('secret.ends_at', '<=', untilMs)
    .where('application.state', '=', 'enabled')
    .select(['secret.key_id', 'secret.application_id', 'application.tenant_id', 'secret.label'])
    .select(['secret.starts_at', 'secret.ends_at'])
    .orderBy('secret.ends_at')
    .orderBy('secret.key_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, starts_at: Number(row.starts_at), ends_at: Number(row.ends_at) }))
}

/** Notes that it was said that the secret ends within `days`; false when that was said before. */
export async function noteSecretWarning(tx: Statements, row: Tables['secret_warnings']): Promise<boolean> {
  const noted = await tx
    .insertInto('secret_warnings')
    .values(row)
    .onConflict((conflict) => conflict.columns(['key_id', 'days']).doNothing())
    .returning('key_id')
    .executeTakeFirst()
  return noted !== undefined
}

/** The secrets of which it was said that they end within `days`. */
export async function listSecretWarnings(
  statements: Statements,
  keyIds: readonly string[],
): Promise<{ key_id: string; days: number }[]> {
  if (keyIds.length === 0) return []
  const rows = await statements
    .selectFrom('secret_warnings')
    .select(['key_id', 'days'])
    .where('key_id', 'in', [...keyIds])
    .orderBy('key_id')
    .orderBy('days')
    .execute()
  return rows.map(({ key_id, days }) => ({ key_id, days: Number(days) }))
}
