// Whether anybody at all could register an application now; the metadata says so.

import type { Statements } from '../store.js'

/** Whether any tenant that is enabled has a token with a use left that has not ended. */
export async function anyRegistrationToken(statements: Statements, atMs: number): Promise<boolean> {
  const row = await statements
    .selectFrom('registration_tokens')
    .innerJoin('tenants', 'tenants.id', 'registration_tokens.tenant_id')
    .select('registration_tokens.id')
    .where('expires_at', '>', atMs)
    .where('uses_left', '>', 0)
    .where('tenants.state', '=', 'enabled')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
