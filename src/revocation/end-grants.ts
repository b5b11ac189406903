// Ending what people allowed: the grants, and with them their refresh tokens (refused from then on because their grant is
// over) and their access tokens (refused by number, RFC 9700 §4.14.2).

import { account } from '../ledger/account.js'
import type { Ledger, Origin } from '../ledger/ledger.js'
import type { ChangeEntry, RevocationKind } from '../memory/feed/feed.js'
import { endGrantRows, type GrantFilter } from '../memory/store/grants.js'
import { putRevocation } from '../memory/store/revocations.js'
import type { Statements } from '../memory/store/store.js'
import { longestTokenSeconds } from '../tokens/claim-rules.js'

/** Leeway and clocks that differ. */
const marginMs = 3_600_000

/** A transaction of Feed.commit under way. */
export interface EndingGrants {
  tx: Statements
  record: (entry: ChangeEntry) => number
  /** Epoch milliseconds. */
  nowMs: number
}

export interface EndGrantsDependencies extends Origin {
  ledger: Ledger
  tokenLifetimeMs: number
}

/**
 * Ends every active grant that fits, inside the caller's Feed.commit, and refuses the access tokens that are out; how many.
 * Recorded is one revocation of the user, application or tenant where the filter is that alone (an application's and a
 * tenant's refuse its own tokens too), else one of each grant; in the ledger one `grant.ended` with `reason`, a stable id
 * such as `consent-withdrawn`. Nothing is recorded when there was nothing to end. Record before it what led to it: whoever
 * signs with the number of a revocation must have read that. It locks the head of the ledger, so call it late.
 */
export async function endGrants(
  deps: EndGrantsDependencies,
  writing: EndingGrants,
  filter: GrantFilter,
  reason: string,
): Promise<number> {
  const { tx, record, nowMs } = writing
  const ended = await endGrantRows(tx, filter, nowMs)
  if (ended.length === 0) return 0
  const expiresAt = nowMs + Math.max(deps.tokenLifetimeMs, longestTokenSeconds * 1000) + marginMs
  for (const { what, id } of subjectsOf(filter) ?? ended.map((id) => ({ what: 'grant' as const, id }))) {
    const seq = record({ kind: 'revoked', what, id, expiresAt })
    await putRevocation(tx, { what, id, seq, at: nowMs, expiresAt })
  }
  const { grantId, ...about } = filter
  const details = { reason, grants: ended.length, ...(grantId === undefined ? {} : { grant: grantId }) }
  await account(deps, tx, { event: 'grant.ended', ...about, details })
  return ended.length
}

/** The one subject that a filter names, when it names all of it. */
function subjectsOf(filter: GrantFilter): { what: RevocationKind; id: string }[] | undefined {
  const { grantId, ...others } = filter
  const named = Object.entries(others).filter(
    (entry): entry is [keyof typeof subjects, string] => entry[1] !== undefined,
  )
  const [only, another] = named
  if (grantId !== undefined || only === undefined || another !== undefined) return undefined
  return [{ what: subjects[only[0]], id: only[1] }]
}

const subjects = { userId: 'user', applicationId: 'application', tenantId: 'tenant' } as const
