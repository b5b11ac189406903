// Revoking one by one has an end. Every revocation of a single token or grant is a row in the Store and an entry in
// every instance, and the holder of tokens can revoke them as fast as they get new ones. So when many of one holder
// are alive, the next one names the holder: all its tokens that were issued until now are refused, the one that was
// meant among them. The counts are of the Store, under the lock of the change log, so all instances agree, also after a
// restart.

import { appendAudit } from '../ledger/append-audit.js'
import type { Ledger, LedgerEvent, Origin } from '../ledger/ledger.js'
import type { RevocationKind } from '../storage/changes/feed.js'
import { countRevocations, isRevoked } from '../storage/sql/revocation/revocation-counts.js'
import type { RevokedHolder } from '../storage/sql/revocation/revocations.js'
import type { Statements } from '../storage/sql/store.js'
import { holderId } from './holder.js'

/** How many single revocations may be alive at a time. */
export interface RevocationBounds {
  /** Of one application in one tenant, by all its users. */
  perApplication: number
  /** Of one person there. */
  perUser: number
}

/** What is meant where nothing is configured. */
export const defaultBounds: RevocationBounds = { perApplication: 5_000, perUser: 500 }

export interface CrowdDependencies {
  ledger: Ledger
  /** Absent: the defaults. */
  bounds?: RevocationBounds | undefined
}

type Append = (
  deps: Origin & { ledger: Ledger },
  tx: Statements,
  event: Omit<LedgerEvent, keyof Origin>,
) => Promise<void>

/** What is recorded in place of what was requested, and how the ledger is told. */
export interface PlacedRevocation {
  what: RevocationKind
  id: string
  /** Whose it is; only where it is counted. */
  holder?: RevokedHolder | undefined
  append: Append
}

/** So many are written in the ledger one by one, then the hundredth, the thousandth …: each row there stays. */
const RECORDED_SINGLY = 20

/** Decides, in the transaction that records it, whether this revocation still names what it means or its holder. */
export async function placeRevocation(
  { bounds = defaultBounds }: CrowdDependencies,
  tx: Statements,
  meant: { what: RevocationKind; id: string; holder: RevokedHolder | undefined; nowMs: number },
): Promise<PlacedRevocation> {
  const { what, id, holder, nowMs } = meant
  if (holder === undefined || (what !== 'token' && what !== 'grant')) return { what, id, append: appendAudit }
  // Said once more by somebody who may not have been told that it is known everywhere.
  if (await isRevoked(tx, what, id)) return { what, id, holder, append: silently }
  const mostOfHolder = holder.userId === null ? bounds.perApplication : bounds.perUser
  const limits = { ofHolder: mostOfHolder, ofApplication: bounds.perApplication }
  const live = await countRevocations(tx, { what, holder, nowMs }, limits)
  if (live.ofHolder < mostOfHolder && live.ofApplication < bounds.perApplication)
    return { what, id, holder, append: isRecorded(live.ofHolder + 1) ? appendAudit : silently }
  const all = { what: 'holder' as const, id: holderId({ ...holder, userId: holder.userId ?? undefined }) }
  return { ...all, append: (await isRevoked(tx, all.what, all.id)) ? silently : asHolder(live.ofHolder) }
}

function isRecorded(count: number): boolean {
  return count <= RECORDED_SINGLY || Number.isInteger(Math.log10(count))
}

const silently: Append = async () => {}

function asHolder(live: number): Append {
  return (deps, tx, event) =>
    appendAudit(deps, tx, { ...event, event: 'holder.revoked', details: { ...event.details, live } })
}
