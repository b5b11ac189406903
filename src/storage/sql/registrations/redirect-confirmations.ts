// Queries of what was confirmed about the redirect URIs of applications; see directory/applications/redirect-epochs.ts.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** The epoch of an origin that the person was prompted about; 0: none. */
export async function readConfirmedEpoch(
  statements: Statements,
  whose: { userId: string; applicationId: string; tenantId: string; origin: string },
): Promise<number> {
  const row = await statements
    .selectFrom('redirect_confirmations')
    .select('epoch')
    .where('user_id', '=', whose.userId)
    .where('application_id', '=', whose.applicationId)
    .where('tenant_id', '=', whose.tenantId)
    .where('origin', '=', whose.origin)
    .executeTakeFirst()
  return Number(row?.epoch ?? 0)
}

/** Remembers that the person was prompted. */
export async function putConfirmedEpoch(tx: Statements, row: Tables['redirect_confirmations']): Promise<void> {
  await tx
    .insertInto('redirect_confirmations')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'application_id', 'tenant_id', 'origin']).doUpdateSet({ epoch: row.epoch }),
    )
    .execute()
}

/** Remembers that an administrator of the tenant was prompted. */
export async function confirmForTenant(
  tx: Statements,
  { applicationId, tenantId, epoch }: { applicationId: string; tenantId: string; epoch: number },
): Promise<void> {
  await tx
    .updateTable('installations')
    .set({ redirect_epoch: epoch })
    .where('application_id', '=', applicationId)
    .where('tenant_id', '=', tenantId)
    .execute()
}
