// Queries of who a person is at external OpenID providers: by issuer and subject, and by nothing else.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type ExternalIdentityRow = Tables['external_identities']

/** Links a person. Throws UniqueViolation when this subject is linked already. */
export async function insertExternalIdentity(tx: Statements, row: ExternalIdentityRow): Promise<void> {
  await tx.insertInto('external_identities').values(row).execute()
}

/** Whose this subject is. */
export async function readExternalIdentity(
  statements: Statements,
  issuer: string,
  subject: string,
): Promise<ExternalIdentityRow | undefined> {
  return statements
    .selectFrom('external_identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/** Where a person is known, the oldest link first. */
export async function listExternalIdentities(statements: Statements, userId: string): Promise<ExternalIdentityRow[]> {
  return statements
    .selectFrom('external_identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('issuer')
    .orderBy('subject')
    .execute()
}

/** Unlinks a person from an issuer; false when there was no link. */
export async function deleteExternalIdentity(tx: Statements, userId: string, issuer: string): Promise<boolean> {
  const removed = await tx
    .deleteFrom('external_identities')
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .returning('subject')
    .execute()
  return removed.length > 0
}
