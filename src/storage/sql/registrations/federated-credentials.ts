// Queries of the outside issuers that applications trust instead of a secret.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type FederatedCredentialRow = Tables['federated_credentials']

/** Adds one. Throws UniqueViolation when the application trusts the same already. */
export async function insertFederatedCredential(tx: Statements, row: FederatedCredentialRow): Promise<void> {
  await tx.insertInto('federated_credentials').values(row).execute()
}

/** Those of an application, the oldest first. */
export async function readFederatedCredentials(
  statements: Statements,
  applicationId: string,
): Promise<FederatedCredentialRow[]> {
  return statements
    .selectFrom('federated_credentials')
    .selectAll()
    .where('application_id', '=', applicationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The one with this id, whosever it is. */
export async function findFederatedCredential(
  statements: Statements,
  id: string,
): Promise<FederatedCredentialRow | undefined> {
  return statements.selectFrom('federated_credentials').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Deletes the one with this id, or all; the rows that went. */
export async function deleteFederatedCredentials(
  tx: Statements,
  applicationId: string,
  id?: string,
): Promise<FederatedCredentialRow[]> {
  const rows = tx.deleteFrom('federated_credentials').where('application_id', '=', applicationId)
  return (id === undefined ? rows : rows.where('id', '=', id)).returningAll().execute()
}
