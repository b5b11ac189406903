// How many people of a tenant would have no way to sign in, if it took only some (decision 130).

import type { Statements } from '../../store.js'
import { mostCounted } from '../../usage/consequence-counts.js'

/** Members who are no owners; `own`: a password or a passkey is a way. At most `mostCounted`. */
export async function countWithoutWay(
  statements: Statements,
  tenantId: string,
  { issuers, own }: { issuers: readonly string[]; own: boolean },
): Promise<number> {
  let query = statements
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.role', '!=', 'owner')
  if (issuers.length > 0) {
    query = query.where('users.id', 'not in', (among) =>
      among
        .selectFrom('external_identities')
        .select('user_id')
        .where('issuer', 'in', [...issuers]),
    )
  }
  if (own) {
    query = query
      .where('users.password_hash', 'is', null)
      .where('users.id', 'not in', (among) => among.selectFrom('passkeys').select('user_id'))
  }
  const row = await statements
    .selectFrom(query.limit(mostCounted).as('few'))
    .select(({ fn }) => fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows)
}
