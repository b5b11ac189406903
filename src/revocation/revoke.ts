// Revoking: a durable row and a change, in one transaction. When the promise resolves, the revocation survives this
// process, this instance refuses already, and the others do within the bound of the Feed (decision 0047).

import { account } from '../ledger/account.js'
import type { Ledger, LedgerEvent, Origin } from '../ledger/ledger.js'
import type { Feed, RevocationKind } from '../memory/feed/feed.js'
import { deleteRevocation, listExpiredRevocations, putRevocation } from '../memory/store/revocations.js'
import type { Store } from '../memory/store/store.js'
import { longestTokenSeconds } from '../tokens/claim-rules.js'
import type { RevocationView } from './view.js'

/** Leeway and clocks that differ. */
const marginMs = 3_600_000
const dayMs = 86_400_000

/** Rows deleted at a time, so that no lock is held for long. */
const pruneBatch = 500

export interface Revocation {
  what: RevocationKind
  /** A token's `jti`, a credential's key id, or the identifier of the grant, application, user or tenant. */
  id: string
  /** A token's own end, epoch milliseconds; unknown means that it may live as long as any token. */
  tokenExpiresAt?: number
  /** Whom it concerns, where the caller knows; for the ledger. */
  about?: Pick<LedgerEvent, 'tenantId' | 'applicationId' | 'userId'>
}

export interface RevokeDependencies extends Origin {
  feed: Pick<Feed, 'commit'>
  ledger: Ledger
  now: () => number
  tokenLifetimeMs: number
}

/**
 * Refuses a token, or every token of a subject issued until now (contract §3, RFC 7009). Resolves when it is durable and
 * effective in this instance; `seq` is the change. Throws StoreUnavailable when that could not be had: answer 503.
 */
export async function revoke(deps: RevokeDependencies, revocation: Revocation): Promise<{ seq: number }> {
  const { what, id } = revocation
  if (id === '') throw new RangeError(`a revoked ${what} must be named`)
  const at = deps.now()
  const longest = at + Math.max(deps.tokenLifetimeMs, longestTokenSeconds * 1000)
  const expiresAt = (what === 'token' ? (revocation.tokenExpiresAt ?? longest) : longest) + marginMs
  const { result } = await deps.feed.commit(async (tx, record) => {
    const seq = record({ kind: 'revoked', what, id, expiresAt })
    await putRevocation(tx, { what, id, seq, at, expiresAt })
    await account(deps, tx, eventOf(revocation))
    return seq
  })
  return { seq: result }
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
 * Deletes rows that no token needs any more, in one bounded batch; how many. Only what this instance has forgotten
 * goes, and it forgets by a clock that cannot be set: a wrong wall clock deletes nothing. Call it every hour or so.
 */
export async function pruneRevocations(deps: {
  store: Store
  view: Pick<RevocationView, 'holds'>
  now: () => number
}): Promise<number> {
  const expired = await listExpiredRevocations(deps.store.reader, deps.now() - 2 * dayMs, pruneBatch)
  const dead = expired.filter((row) => !deps.view.holds(row.what, row.id))
  if (dead.length === 0) return 0
  await deps.store.transaction(async (tx) => {
    for (const row of dead) await deleteRevocation(tx, row)
  })
  return dead.length
}
