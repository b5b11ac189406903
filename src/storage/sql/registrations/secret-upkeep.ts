// What happens to secrets in the course of time: they are used, and they are forgotten.

import type { Statements } from '../store.js'

/**
 * Records uses (key id to epoch ms) of secrets and of federated credentials, never moving a time backwards: another
 * instance may have seen a later one.
 */
export async function recordSecretUse(tx: Statements, uses: ReadonlyMap<string, number>): Promise<void> {
  // In one order for all instances: two that record the same secrets at once wait for each other, never in a circle.
  for (const [id, usedAt] of [...uses].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (id.startsWith('fed_')) {
      await tx
        .updateTable('federated_credentials')
        .set({ last_used_at: usedAt })
        .where('id', '=', id)
        .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', usedAt)]))
        .execute()
      continue
    }
    await tx
      .updateTable('application_secrets')
      .set({ last_used_at: usedAt })
      .where('key_id', '=', id)
      .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', usedAt)]))
      .execute()
  }
}

/** Forgets the secrets of an application that ended before `beforeMs`. */
export async function deleteSecretsEndedBefore(tx: Statements, applicationId: string, beforeMs: number): Promise<void> {
  await tx
    .deleteFrom('application_secrets')
    .where('application_id', '=', applicationId)
    .where('ends_at', '<', beforeMs)
    .execute()
}

/** How many secrets of an application were made after `afterMs`, ended ones included. */
export async function countSecretsCreatedAfter(
  tx: Statements,
  applicationId: string,
  afterMs: number,
): Promise<number> {
  const { rows } = await tx
    .selectFrom('application_secrets')
    .select((eb) => eb.fn.countAll().as('rows'))
    .where('application_id', '=', applicationId)
    .where('created_at', '>', afterMs)
    .executeTakeFirstOrThrow()
  return Number(rows)
}
