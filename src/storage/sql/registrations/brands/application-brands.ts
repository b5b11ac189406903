// Queries of what applications say of themselves.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'
import { deleteLogos } from './logo-writes.js'

export type ApplicationBrandRow = Tables['application_brands']

/** What an application says of itself. */
export function readApplicationBrand(
  statements: Statements,
  applicationId: string,
): Promise<ApplicationBrandRow | undefined> {
  return statements
    .selectFrom('application_brands')
    .selectAll()
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
}

/** Writes what an application says, in place of what it said. */
export async function putApplicationBrand(tx: Statements, row: ApplicationBrandRow): Promise<void> {
  const { application_id: _key, ...columns } = row
  const rows = tx.insertInto('application_brands').values(row)
  await rows.onConflict((conflict) => conflict.column('application_id').doUpdateSet(columns)).execute()
}

/** Takes all that an application said away. */
export async function deleteApplicationBrand(tx: Statements, applicationId: string): Promise<void> {
  await deleteLogos(tx, { applicationId })
  await tx.deleteFrom('application_brands').where('application_id', '=', applicationId).execute()
}
