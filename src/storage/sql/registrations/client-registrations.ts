// Queries of applications that registered themselves, and of what they may change it with. Only hashes of tokens are in
// a row.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type ClientRegistrationRow = Tables['client_registrations']

/** Adds the row of a new application. */
export async function insertClientRegistration(tx: Statements, row: ClientRegistrationRow): Promise<void> {
  await tx.insertInto('client_registrations').values(row).execute()
}

/** The row of an application; undefined for one that was registered otherwise. */
export async function readClientRegistration(
  statements: Statements,
  applicationId: string,
): Promise<ClientRegistrationRow | undefined> {
  return statements
    .selectFrom('client_registrations')
    .selectAll()
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
}

/** Changes the row as long as its token is still the one of `from`; whether it was. */
export async function updateClientRegistration(
  tx: Statements,
  from: Pick<ClientRegistrationRow, 'application_id' | 'token_hash'>,
  changes: Partial<Omit<ClientRegistrationRow, 'application_id' | 'registration_token_id'>>,
): Promise<boolean> {
  const changed = await tx
    .updateTable('client_registrations')
    .set(changes)
    .where('application_id', '=', from.application_id)
    .where('token_hash', '=', from.token_hash)
    .executeTakeFirst()
  return Number(changed.numUpdatedRows) === 1
}
