// When secrets were last used; written in batches, so apart from what is written one by one.

import type { Statements } from './store.js'

/** Records uses (key id to epoch ms), never moving a time backwards: another instance may have seen a later one. */
export async function recordSecretUse(tx: Statements, uses: ReadonlyMap<string, number>): Promise<void> {
  for (const [keyId, usedAt] of uses) {
    await tx
      .updateTable('application_secrets')
      .set({ last_used_at: usedAt })
      .where('key_id', '=', keyId)
      .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', usedAt)]))
      .execute()
  }
}
