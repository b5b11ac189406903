// Queries of application registrations: the row itself and what belongs to it. Secrets are in application-secrets.ts,
// redirect URIs and configured permissions are replaced as whole lists in application-lists.ts.

import { commandLineClient } from '../../../oauth/command-line-client.js'
import { hasInName, nameKey } from '../overview/name-keys.js'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'
import { type ClientRegistrationRow, readClientRegistration } from './client-registrations.js'
import { type ClientDocumentRow, readClientDocument } from './documents/client-documents.js'
import { type FederatedCredentialRow, readFederatedCredentials } from './federated-credentials.js'

export type ApplicationRow = Tables['applications']

/** A registration as the Store has it. Lists are in a stable order. */
export interface ApplicationRecord {
  application: ApplicationRow
  secrets: Tables['application_secrets'][]
  redirectUris: Tables['redirect_uris'][]
  configured: Tables['configured_permissions'][]
  federated: FederatedCredentialRow[]
  /** Undefined: it did not register itself. */
  client: ClientRegistrationRow | undefined
  /** Undefined: somebody registered it. */
  document: ClientDocumentRow | undefined
}

/** Adds the row, and answers it whole; its id and public key are new. */
export async function insertApplication(
  tx: Statements,
  row: Omit<ApplicationRow, 'name_key'>,
): Promise<ApplicationRow> {
  const named = { ...row, name_key: nameKey(row.name) }
  await tx.insertInto('applications').values(named).execute()
  return named
}

/** What may be changed: never its identifiers, its type or its home. */
type Changeable = Omit<
  ApplicationRow,
  'id' | 'public_key' | 'tenant_id' | 'type' | 'audience' | 'created_at' | 'name_key'
>

/** Changes the named columns, and the time of the last change; undefined when there is no such application. */
export async function updateApplication(
  tx: Statements,
  id: string,
  changes: Partial<Changeable> & Pick<Changeable, 'updated_at'>,
): Promise<ApplicationRow | undefined> {
  const named = changes.name === undefined ? changes : { ...changes, name_key: nameKey(changes.name) }
  return tx.updateTable('applications').set(named).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Two are enough to know that a name is ambiguous; some more are named in the refusal. */
const mostOfOneName = 6

/**
 * A registration by `id`, by `public_key` (both unique) or by `name`, which need not be. Several statements: call it in a transaction or a snapshot.
 */
export async function readApplications(
  statements: Statements,
  column: 'id' | 'public_key' | 'name',
  value: string,
  tenantId?: string | undefined,
): Promise<ApplicationRecord[]> {
  let query = statements.selectFrom('applications').selectAll().where(column, '=', value)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  const rows = await query.orderBy('id').limit(mostOfOneName).execute()
  const records: ApplicationRecord[] = []
  for (const application of rows) records.push(await withBelongings(statements, application))
  return records
}

/** What a list is narrowed to. */
export interface ApplicationFilter {
  tenantId?: string | undefined
  type?: 'web' | 'native' | undefined
  state?: 'enabled' | 'disabled' | undefined
  /** A part of the name, in either case of letters. */
  search?: string | undefined
}

/**
 * A page by name in code point order, then id; `after` is the last row of the page before. The application that is part
 * of the product is not among them: nobody registered it.
 */
export async function listApplications(
  statements: Statements,
  options: { after: { name: string; id: string } | undefined; limit: number } & ApplicationFilter,
): Promise<ApplicationRow[]> {
  const { after, limit, tenantId, type, state, search } = options
  let query = statements.selectFrom('applications').selectAll().where('id', '!=', commandLineClient.applicationId)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  if (type !== undefined) query = query.where('type', '=', type)
  if (state !== undefined) query = query.where('state', '=', state)
  if (after !== undefined) {
    query = query.where((where) => where(where.refTuple('name', 'id'), '>', where.tuple(after.name, after.id)))
  }
  if (search !== undefined) {
    // An index of names alone finds them.
    let named = statements.selectFrom('applications').select('id').where(hasInName(search))
    if (tenantId !== undefined) named = named.where('tenant_id', '=', tenantId)
    query = query.where('id', 'in', named)
  }
  return query.orderBy('name').orderBy('id').limit(limit).execute()
}

async function withBelongings(statements: Statements, application: ApplicationRow): Promise<ApplicationRecord> {
  const { id } = application
  return {
    application,
    secrets: await statements
      .selectFrom('application_secrets')
      .selectAll()
      .where('application_id', '=', id)
      .orderBy('created_at')
      .orderBy('key_id')
      .execute(),
    redirectUris: await statements
      .selectFrom('redirect_uris')
      .selectAll()
      .where('application_id', '=', id)
      .orderBy('purpose')
      .orderBy('uri')
      .execute(),
    configured: await statements
      .selectFrom('configured_permissions')
      .selectAll()
      .where('application_id', '=', id)
      .orderBy('resource')
      .orderBy('permission_id')
      .orderBy('kind')
      .execute(),
    federated: await readFederatedCredentials(statements, id),
    client: await readClientRegistration(statements, id),
    document: await readClientDocument(statements, id),
  }
}
