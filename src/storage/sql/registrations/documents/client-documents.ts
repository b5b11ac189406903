// Queries of applications that nobody registered: what their documents said when people allowed them.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'

export type ClientDocumentRow = Tables['client_documents']

/** The row of an application; undefined for one that was registered. */
export async function readClientDocument(
  statements: Statements,
  applicationId: string,
): Promise<ClientDocumentRow | undefined> {
  return statements
    .selectFrom('client_documents')
    .selectAll()
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
}

/** Writes the row, whether there was one or not. */
export async function putClientDocument(tx: Statements, row: ClientDocumentRow): Promise<void> {
  const { application_id: _id, url: _url, ...changes } = row
  await tx
    .insertInto('client_documents')
    .values(row)
    .onConflict((conflict) => conflict.column('application_id').doUpdateSet(changes))
    .execute()
}

/** Makes the application what another document says: also its type, which nobody else changes. */
export async function updateDocumentApplication(
  tx: Statements,
  id: string,
  changes: Pick<Tables['applications'], 'type' | 'auth_method' | 'jwks' | 'require_pkce' | 'updated_at'>,
): Promise<void> {
  await tx.updateTable('applications').set(changes).where('id', '=', id).execute()
}

/**
 * Applications that nobody has used since `before` (epoch ms): without a grant, enabled, and with a document that has
 * not changed since. At most `most`, the oldest first; with `applicationId` that one alone.
 */
export async function listUnusedDocuments(
  statements: Statements,
  { before, most, applicationId }: { before: number; most: number; applicationId?: string },
): Promise<string[]> {
  let query = statements
    .selectFrom('client_documents')
    .innerJoin('applications', 'applications.id', 'client_documents.application_id')
    .select('client_documents.application_id as id')
    .where('client_documents.updated_at', '<', before)
    .where('applications.state', '=', 'enabled')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('grants')
            .select('grants.id')
            .whereRef('grants.application_id', '=', 'client_documents.application_id'),
        ),
      ),
    )
  if (applicationId !== undefined) query = query.where('client_documents.application_id', '=', applicationId)
  const rows = await query.orderBy('client_documents.updated_at').limit(most).execute()
  return rows.map(({ id }) => id)
}
