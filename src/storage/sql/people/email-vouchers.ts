// Queries of which tenant's administrator vouched for the present address of a person.

import type { Statements } from '../store.js'

/** Puts the tenant whose administrator vouched in place of another; undefined: nobody does any more. */
export async function putEmailVoucher(
  tx: Statements,
  userId: string,
  by: { tenantId: string; atMs: number } | undefined,
): Promise<void> {
  await tx.deleteFrom('email_vouchers').where('user_id', '=', userId).execute()
  if (by === undefined) return
  const row = { user_id: userId, tenant_id: by.tenantId, created_at: by.atMs }
  await tx.insertInto('email_vouchers').values(row).execute()
}

/** The tenant whose administrator vouched for the present address. */
export async function readEmailVoucher(statements: Statements, userId: string): Promise<string | undefined> {
  const row = await statements
    .selectFrom('email_vouchers')
    .select('tenant_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.tenant_id
}
