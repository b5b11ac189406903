// Revoking: a durable row and a change, in one transaction. When the promise resolves, the revocation survives this
// process, this instance refuses already, and the others do within the bound of the Feed (decision 0047).

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LedgerEvent, Origin } from '../ledger/ledger.js'
import type { Feed, RevocationKind } from '../storage/changes/feed.js'
import { deleteRevocation, listExpiredRevocations, putRevocation } from '../storage/sql/revocation/revocations.js'
import type { Store } from '../storage/sql/store.js'
import { longestTokenSeconds } from '../tokens/claim-rules.js'
import { type CrowdDependencies, placeRevocation } from './revocation-bounds.js'
import type { RevocationView } from './view.js'

/** Leeway and clocks that differ. */
const marginMs = 3_600_000
const dayMs = 86_400_000

/** Rows deleted at a time, so that no lock is held for long, and batches at one sweep. */
const pruneBatch = 500
const mostBatches = 400

export interface Revocation {
  what: RevocationKind
  /** A token's `jti`, a credential's key id, or the identifier of the grant, application, user or tenant. */
  id: string
  /** A token's own end, epoch milliseconds; unknown means that it may live as long as any token. */
  tokenExpiresAt?: number
  /** Whom it concerns, where the caller knows; for the ledger. */
  about?: Pick<LedgerEvent, 'tenantId' | 'applicationId' | 'userId'>
}

export interface RevokeDependencies extends Origin, CrowdDependencies {
  feed: Pick<Feed, 'commit'>
  now: () => number
  tokenLifetimeMs: number
}

/**
 * Refuses a token, or every token of a subject issued until now (contract §3, RFC 7009). Resolves when it is durable
 * and effective in this instance; `seq` is the change, `what` what was recorded: the holder of the token or grant, when
 * too many of its are revoked one by one (decision 0090). Throws StoreUnavailable when that could not be had: answer
 * 503.
 */
export async function revoke(
  deps: RevokeDependencies,
  revocation: Revocation,
): Promise<{ seq: number; what: RevocationKind }> {
  const { what, id } = revocation
  if (id === '') throw new RangeError(`a revoked ${what} must be named`)
  const at = deps.now()
  const longest = at + Math.max(deps.tokenLifetimeMs, longestTokenSeconds * 1000)
  const ends = { one: (revocation.tokenExpiresAt ?? longest) + marginMs, all: longest + marginMs }
  const { result } = await deps.feed.commit(async (tx, record) => {
    const place = await placeRevocation(deps, tx, { what, id, nowMs: at, holder: holderOf(revocation) })
    const expiresAt = place.what === 'token' ? ends.one : ends.all
    const seq = record({ kind: 'revoked', what: place.what, id: place.id, expiresAt })
    await putRevocation(tx, { what: place.what, id: place.id, seq, at, expiresAt, holder: place.holder })
    await place.append(deps, tx, eventOf(revocation))
    return { seq, what: place.what }
  })
  return result
}

/** Known only of tokens and grants whose application and tenant the caller knows. */
function holderOf({ about }: Revocation) {
  if (about?.applicationId === undefined || about.tenantId === undefined) return undefined
  return { applicationId: about.applicationId, tenantId: about.tenantId, userId: about.userId ?? null }
}

/** `token.revoked`, `application.revoked` …; what has no column of its own is named in the details. */
function eventOf({ what, id, about }: Revocation): Omit<LedgerEvent, keyof Origin> {
  const subject = {
    ...(what === 'tenant' ? { tenantId: id } : {}),
    ...(what === 'application' ? { applicationId: id } : {}),
    ...(what === 'user' ? { userId: id } : {}),
  }
  const details = Object.keys(subject).length === 0 ? { id } : {}
  return { event: `${what}.revoked`, ...about, ...subject, details }
}

/**
 * Deletes rows that no token needs any more, batch by batch; how many. Only what this instance has forgotten goes, and
 * it forgets by a clock that cannot be set: a wrong wall clock deletes nothing. The row of a single token goes with the
 * token when this instance has held it; those that had ended before it was loaded, and all others, two days after their
 * end.
 */
export async function pruneRevocations(deps: {
  store: Store
  view: Pick<RevocationView, 'holds' | 'tokensAfterMs'>
  now: () => number
}): Promise<number> {
  const { store, view, now } = deps
  let deleted = 0
  for (let batch = 0; batch < mostBatches; batch += 1) {
    const ended = { beforeMs: now() - 2 * dayMs, tokens: { afterMs: view.tokensAfterMs, beforeMs: now() } }
    const expired = await listExpiredRevocations(store.reader, ended, pruneBatch)
    const dead = expired.filter((row) => !view.holds(row.what, row.id))
    if (dead.length > 0) {
      await store.transaction(async (tx) => {
        for (const row of dead) await deleteRevocation(tx, row)
      })
    }
    deleted += dead.length
    if (expired.length < pruneBatch || dead.length === 0) break
    await nextTurn()
  }
  return deleted
}
