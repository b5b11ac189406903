// All revocations that still matter, a page at a time: a start with a million of them takes the memory of one page.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RevocationKind } from '../../changes/feed.js'
import type { Statements } from '../store.js'

const PAGE_ROWS = 2_000

/** What the view keeps of a revocation; see revocations.ts. */
export interface RevocationEntry {
  what: RevocationKind
  id: string
  seq: number
  /** Epoch milliseconds. */
  expiresAt: number
}

/**
 * Revocations that expire after these times (epoch ms), of single tokens and of all others. Lets others run between
 * pages.
 */
export async function* readRevocations(
  snapshot: Statements,
  span: { tokensAfterMs: number; afterMs: number },
): AsyncGenerator<RevocationEntry> {
  let last: { what: string; id: string } | undefined = { what: '', id: '' }
  while (last !== undefined) {
    const { what, id }: { what: string; id: string } = last
    const rows = await snapshot
      .selectFrom('revocations')
      .select(['what', 'id', 'seq', 'expires_at'])
      .where((where) => where(where.refTuple('what', 'id'), '>', where.tuple(what, id)))
      .orderBy('what')
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute()
    for (const row of rows) {
      const expiresAt = Number(row.expires_at)
      const afterMs = row.what === 'token' ? span.tokensAfterMs : span.afterMs
      if (expiresAt > afterMs) yield { what: row.what as RevocationKind, id: row.id, seq: Number(row.seq), expiresAt }
    }
    last = rows.length < PAGE_ROWS ? undefined : rows.at(-1)
    await nextTurn()
  }
}
