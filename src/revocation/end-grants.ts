// Ending what people allowed: the grants, and with them their refresh tokens (refused from then on because their grant
// is over) and their access tokens (refused by number, RFC 9700 §4.14.2).

import { appendAudit } from '../ledger/append-audit.js'
import type { Origin } from '../ledger/ledger.js'
import type { ChangeEntry } from '../storage/changes/feed.js'
import { endGrantRows, type GrantFilter, readGrant } from '../storage/sql/grants/grants.js'
import { putRevocation, type RevocationRow } from '../storage/sql/revocation/revocations.js'
import type { Statements } from '../storage/sql/store.js'
import { longestTokenSeconds } from '../tokens/claim-rules.js'
import { holderId } from './holder.js'
import { type CrowdDependencies, placeRevocation } from './revocation-bounds.js'

/** Leeway and clocks that differ. */
const marginMs = 3_600_000

/** A transaction of Feed.commit under way. */
export interface EndingGrants {
  tx: Statements
  record: (entry: ChangeEntry) => number
  /** Epoch milliseconds. */
  nowMs: number
}

export interface EndGrantsDependencies extends Origin, CrowdDependencies {
  tokenLifetimeMs: number
}

/**
 * Ends every active grant that fits, inside the caller's Feed.commit, and refuses the access tokens that are out; how
 * many. Recorded is one revocation of the user, application or tenant where the filter is that alone (an application's
 * and a tenant's refuse its own tokens too), of the holder where it names all three, else one of each grant; in the
 * ledger one `grant.ended` with `reason`, a stable id such as `consent-withdrawn`. Nothing is recorded when there was
 * nothing to end. Record before it what led to it: a signer that uses the number of a revocation must have read that.
 * It locks the head of the ledger, so call it late.
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
  for (const { what, id, holder } of subjectsOf(filter) ?? (await grantsOf(deps, writing, ended, filter))) {
    const seq = record({ kind: 'revoked', what, id, expiresAt })
    await putRevocation(tx, { what, id, seq, at: nowMs, expiresAt, holder })
  }
  const { grantId, ...about } = filter
  const details = { reason, grants: ended.length, ...(grantId === undefined ? {} : { grant: grantId }) }
  await appendAudit(deps, tx, { event: 'grant.ended', ...about, details })
  return ended.length
}

type Subject = Pick<RevocationRow, 'what' | 'id' | 'holder'>

/** The grants one by one; a single one by its holder, when many of its holder were ended. */
async function grantsOf(
  deps: EndGrantsDependencies,
  { tx, nowMs }: EndingGrants,
  ended: readonly string[],
  { grantId }: GrantFilter,
): Promise<Subject[]> {
  const grant = grantId === undefined ? undefined : await readGrant(tx, grantId)
  if (grant === undefined) return ended.map((id) => ({ what: 'grant', id }))
  const holder = { applicationId: grant.application_id, tenantId: grant.tenant_id, userId: grant.user_id }
  return [await placeRevocation(deps, tx, { what: 'grant', id: grant.id, holder, nowMs })]
}

/** The one subject that a filter names, when it names all of it. */
function subjectsOf(filter: GrantFilter): Subject[] | undefined {
  const { grantId, applicationId, tenantId, userId } = filter
  if (grantId === undefined && applicationId !== undefined && tenantId !== undefined && userId !== undefined)
    return [{ what: 'holder', id: holderId({ applicationId, tenantId, userId }) }]
  const others = { applicationId, tenantId, userId }
  const named = Object.entries(others).filter(
    (entry): entry is [keyof typeof subjects, string] => entry[1] !== undefined,
  )
  const [only, another] = named
  if (grantId !== undefined || only === undefined || another !== undefined) return undefined
  return [{ what: subjects[only[0]], id: only[1] }]
}

const subjects = { userId: 'user', applicationId: 'application', tenantId: 'tenant' } as const
