// How many revocations of one kind are alive: so that nobody makes any number of them.

import type { RevocationKind } from '../../changes/feed.js'
import type { Statements } from '../store.js'
import type { RevokedHolder } from './revocations.js'

export interface LiveRevocations {
  /** Of the holder itself. */
  ofHolder: number
  /** Of the application in this tenant, by all its users. */
  ofApplication: number
}

/** Live revocations of this kind, each counted up to its `limits`; what is above is not looked at. */
export async function countRevocations(
  tx: Statements,
  of: { what: RevocationKind; holder: RevokedHolder; nowMs: number },
  limits: LiveRevocations,
): Promise<LiveRevocations> {
  const { what, holder, nowMs } = of
  const live = tx
    .selectFrom('revocations')
    .select('id')
    .where('application_id', '=', holder.applicationId)
    .where('tenant_id', '=', holder.tenantId)
    .where('what', '=', what)
    .where('expires_at', '>', nowMs)
  const own = live.where('user_id', holder.userId === null ? 'is' : '=', holder.userId)
  return {
    ofHolder: await count(tx, own, limits.ofHolder),
    ofApplication: await count(tx, live, limits.ofApplication),
  }
}

/** Whether exactly this is revoked already. */
export async function isRevoked(tx: Statements, what: RevocationKind, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('revocations')
    .select('id')
    .where('what', '=', what)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

type Ids = ReturnType<typeof idsOf>

function idsOf(tx: Statements) {
  return tx.selectFrom('revocations').select('id')
}

async function count(tx: Statements, ids: Ids, limit: number): Promise<number> {
  const row = await tx
    .selectFrom(ids.limit(limit).as('live'))
    .select((eb) => eb.fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows)
}
