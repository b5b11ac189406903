// What every write of this room has in common: the collaborators, and how a change is written beside its rows.

import type { Catalogue } from '../config/settings/settings.js'
import type { Ledger, Origin } from '../ledger/ledger.js'
import { parseGuid } from '../oauth/secrets/guid.js'
import type { ChangeEntry, Feed } from '../storage/changes/feed.js'
import { type ApplicationRecord, readApplications } from '../storage/sql/registrations/applications.js'
import { putRevocation, type RevocationRow } from '../storage/sql/revocation/revocations.js'
import type { Statements } from '../storage/sql/store.js'
import { longestTokenSeconds } from '../tokens/claim-rules.js'
import { DirectoryRefusal } from './refusal.js'

/** How much longer than the longest token a revocation is remembered: leeway and the clocks of other instances. */
const marginMs = 3_600_000

/**
 * `actor`, `requestId` and `address` say who does it; a caller that knows better than the operator's puts its own
 * there.
 */
export interface DirectoryWrites extends Origin {
  ledger: Ledger
  feed: Pick<Feed, 'commit'>
  /** Epoch milliseconds. */
  now: () => number
  catalogue: Catalogue
  /** The first one hashes new secrets. */
  peppers: readonly Uint8Array[]
  /** What the pages of this server are headed with, as it is at the moment; absent: no name is held against it. */
  serverName?: (() => string) | undefined
  /** The configured life of a token. */
  tokenLifetimeMs: number
  /** How much one tenant may have; absent: as much as it likes. */
  quotas?: { applications: number; people: number; deletedApplications?: number } | undefined
  /** How long a deleted application can be restored; absent or 0: not at all. */
  restorableMs?: number | undefined
  /** How many revocations of single tokens, grants and credentials may be alive; absent: the defaults. */
  bounds?: { perApplication: number; perUser: number; credentials?: number } | undefined
}

/** One transaction under way: its statements, its changes, its time. */
export interface Writing {
  tx: Statements
  record: (entry: ChangeEntry) => number
  nowMs: number
}

/**
 * Runs `work` as one transaction with its changes; see Feed.commit. With an `open` one it becomes a part of that: all of
 * it is written or nothing.
 */
export async function write<T>(
  deps: DirectoryWrites,
  work: (writing: Writing) => Promise<T>,
  open?: Writing,
): Promise<T> {
  if (open !== undefined) return work(open)
  const nowMs = deps.now()
  const { result } = await deps.feed.commit((tx, record) => work({ tx, record, nowMs }))
  return result
}

/** The registration inside the transaction. Throws DirectoryRefusal when there is none. */
export async function requireApplication({ tx }: Writing, applicationId: string): Promise<ApplicationRecord> {
  const id = parseGuid(applicationId)
  const [record] = id === undefined ? [] : await readApplications(tx, 'id', id)
  if (record === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  return record
}

/** Says that an application changed; the entry carries the state that holds from now on. */
export function recordApplication(writing: Writing, row: { id: string; state: string }): void {
  writing.record({
    kind: 'application',
    applicationId: row.id,
    state: row.state === 'enabled' ? 'enabled' : 'disabled',
  })
}

/**
 * Refuses, from this change on, every token of these subjects that was issued before it: for each an entry, and a row
 * that outlives the change log. Record what changed in the directory before it: a signer that uses the number of the
 * revocation must have read what led to it.
 */
export async function recordRevocations(
  deps: Pick<DirectoryWrites, 'tokenLifetimeMs'>,
  { tx, record, nowMs }: Writing,
  subjects: readonly Pick<RevocationRow, 'what' | 'id' | 'holder'>[],
): Promise<void> {
  const expiresAt = nowMs + Math.max(deps.tokenLifetimeMs, longestTokenSeconds * 1000) + marginMs
  for (const { what, id, holder } of subjects) {
    const seq = record({ kind: 'revoked', what, id, expiresAt })
    await putRevocation(tx, { what, id, seq, at: nowMs, expiresAt, holder })
  }
}
