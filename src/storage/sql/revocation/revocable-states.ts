// What refuses tokens without being a revocation: who is disabled, and which secrets end.

import type { Statements } from '../store.js'

/** Identifiers of the disabled applications, tenants and users, in order. */
export async function listDisabled(
  reader: Statements,
): Promise<{ applications: string[]; tenants: string[]; users: string[] }> {
  const applications = await reader
    .selectFrom('applications')
    .select('id')
    .where('state', '=', 'disabled')
    .orderBy('id')
    .execute()
  const tenants = await reader
    .selectFrom('tenants')
    .select('id')
    .where('state', '=', 'disabled')
    .orderBy('id')
    .execute()
  const users = await reader.selectFrom('users').select('id').where('state', '=', 'disabled').orderBy('id').execute()
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  return { applications: ids(applications), tenants: ids(tenants), users: ids(users) }
}

/** Secrets that end after `afterMs` and before `beforeMs` (epoch milliseconds), in the order of their key ids. */
export async function listCredentialEnds(
  reader: Statements,
  afterMs: number,
  beforeMs: number,
): Promise<{ keyId: string; endsAt: number }[]> {
  const rows = await reader
    .selectFrom('application_secrets')
    .select(['key_id', 'ends_at'])
    .where('ends_at', '>', afterMs)
    .where('ends_at', '<', beforeMs)
    .orderBy('key_id')
    .execute()
  return rows.map((row) => ({ keyId: row.key_id, endsAt: Number(row.ends_at) }))
}
