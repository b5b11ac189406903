// Queries of client secrets. Only the keyed hash is in a row; see oauth/secrets/client-secret.ts.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type SecretRow = Tables['application_secrets']

/** Adds a secret; its key id is new. */
export async function insertSecret(tx: Statements, row: SecretRow): Promise<void> {
  await tx.insertInto('application_secrets').values(row).execute()
}

/** The secrets of an application that have not ended at `atMs`, the oldest first. */
export async function readLiveSecrets(
  statements: Statements,
  applicationId: string,
  atMs: number,
): Promise<SecretRow[]> {
  return statements
    .selectFrom('application_secrets')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('ends_at', '>', atMs)
    .orderBy('created_at')
    .orderBy('key_id')
    .execute()
}

/** Moves a secret's end to `endsAt`, never later than it is; the row after that, undefined when there is none. */
export async function shortenSecret(tx: Statements, keyId: string, endsAt: number): Promise<SecretRow | undefined> {
  await tx
    .updateTable('application_secrets')
    .set({ ends_at: endsAt })
    .where('key_id', '=', keyId)
    .where('ends_at', '>', endsAt)
    .execute()
  return tx.selectFrom('application_secrets').selectAll().where('key_id', '=', keyId).executeTakeFirst()
}

/** The secret with this key id. */
export async function readSecret(statements: Statements, keyId: string): Promise<SecretRow | undefined> {
  return statements.selectFrom('application_secrets').selectAll().where('key_id', '=', keyId).executeTakeFirst()
}
