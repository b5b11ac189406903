// How many clients that nobody registered one person has brought into a tenant, counted no further than a bound.

import type { Statements } from '../../store.js'

/** Whether it is `most` of them or more. */
export async function hasManyDocuments(
  tx: Statements,
  { tenantId, by }: { tenantId: string; by: string },
  most: number,
): Promise<boolean> {
  const those = tx
    .selectFrom('applications')
    .innerJoin('client_documents', 'client_documents.application_id', 'applications.id')
    .select('applications.id')
    .where('applications.tenant_id', '=', tenantId)
    .where('applications.created_by', '=', by)
    .limit(most)
  const row = await tx
    .selectFrom(those.as('those'))
    .select((eb) => eb.fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows) >= most
}
