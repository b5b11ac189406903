// Rows of `revocations`: what was revoked, at which change number. They outlive every token that they name, so that a
// restarted instance refuses what it refused before.

import type { RevocationKind } from '../../changes/feed.js'
import type { Statements } from '../store.js'

/** A durable revocation. Times are epoch milliseconds. */
export interface RevocationRow {
  what: RevocationKind
  id: string
  /** The number of the change; tokens of the subject with a lower one are refused. */
  seq: number
  at: number
  /** No token that it names is alive after this. */
  expiresAt: number
  /** Whose token or grant it is, where that is known: so many of one holder are counted. */
  holder?: RevokedHolder | undefined
}

/** Whose: the application in a tenant, and the person; null: the application itself. */
export interface RevokedHolder {
  tenantId: string
  applicationId: string
  userId: string | null
}

/**
 * Writes a revocation inside the transaction that records its change. Repeating one makes it stricter: numbers grow,
 * ends only move away.
 */
export async function putRevocation(tx: Statements, row: RevocationRow): Promise<void> {
  await tx
    .insertInto('revocations')
    .values({
      what: row.what,
      id: row.id,
      seq: row.seq,
      at: row.at,
      expires_at: row.expiresAt,
      tenant_id: row.holder?.tenantId ?? null,
      application_id: row.holder?.applicationId ?? null,
      user_id: row.holder?.userId ?? null,
    })
    .onConflict((conflict) =>
      conflict.columns(['what', 'id']).doUpdateSet((eb) => ({
        seq: eb.ref('excluded.seq'),
        at: eb.ref('excluded.at'),
        expires_at: eb
          .case()
          .when('revocations.expires_at', '>', eb.ref('excluded.expires_at'))
          .then(eb.ref('revocations.expires_at'))
          .else(eb.ref('excluded.expires_at'))
          .end(),
      })),
    )
    .execute()
}

/** Revocations that expire after `afterMs`. */
export async function listRevocations(reader: Statements, afterMs: number): Promise<RevocationRow[]> {
  const rows = await reader
    .selectFrom('revocations')
    .selectAll()
    .where('expires_at', '>', afterMs)
    .orderBy('what')
    .orderBy('id')
    .execute()
  return rows.map(toRow)
}

/**
 * Up to `limit` revocations that expired before a time (epoch ms), or are of single tokens and expired within a span;
 * oldest first.
 */
export async function listExpiredRevocations(
  reader: Statements,
  ended: { beforeMs: number; tokens?: { afterMs: number; beforeMs: number } },
  limit: number,
): Promise<RevocationRow[]> {
  const rows = await reader
    .selectFrom('revocations')
    .selectAll()
    .where('expires_at', '<', Math.max(ended.beforeMs, ended.tokens?.beforeMs ?? 0))
    .where((where) =>
      where.or([
        where('expires_at', '<', ended.beforeMs),
        where.and([where('what', '=', 'token'), where('expires_at', '>', ended.tokens?.afterMs ?? 0)]),
      ]),
    )
    .orderBy('expires_at')
    .orderBy('what')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toRow)
}

/** Deletes one revocation, unless it was renewed since it was read. */
export async function deleteRevocation(tx: Statements, row: RevocationRow): Promise<void> {
  await tx
    .deleteFrom('revocations')
    .where('what', '=', row.what)
    .where('id', '=', row.id)
    .where('expires_at', '<=', row.expiresAt)
    .execute()
}

function toRow(row: { what: string; id: string; seq: number; at: number; expires_at: number }): RevocationRow {
  return {
    what: row.what as RevocationKind,
    id: row.id,
    seq: Number(row.seq),
    at: Number(row.at),
    expiresAt: Number(row.expires_at),
  }
}
