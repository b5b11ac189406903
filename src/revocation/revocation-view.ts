// The revocation view of this instance, kept by the Feed. A revocation of a subject is a change number: tokens of it
// that were issued before that number (their `seq`) are refused, those after are not. No clock takes part, so neither a
// slow instance nor a wrong one can issue a token that survives. Disabled is a state, not a number: it can be undone.

import type { Change, Feed, Follower, RevocationKind } from '../memory/feed/feed.js'
import { listCredentialEnds, listDisabled } from '../memory/store/revocable-states.js'
import { listRevocations } from '../memory/store/revocations.js'
import type { Statements } from '../memory/store/store.js'
import { longestTokenSeconds } from '../tokens/claim-rules.js'
import { type Clocks, createExpiringMap, type ExpiringMap } from './expiring-map.js'
import type { RevocableToken, RevocationReason, RevocationView } from './view.js'

/** How long an entry outlives the longest token: leeway, and clocks that differ between instances. */
const marginMs = 3_600_000
const longestTokenMs = longestTokenSeconds * 1000

/** What ended longer ago is not loaded. Generous, because at a start nothing but the wall clock can tell. */
const pastMs = longestTokenMs + marginMs

interface Entries {
  revoked: Record<RevocationKind, ExpiringMap>
  /** Ends of credentials, epoch milliseconds. */
  ends: ExpiringMap
  disabledApplications: Set<string>
  disabledTenants: Set<string>
  disabledUsers: Set<string>
}

export type RevocationFollower = RevocationView & Follower

/**
 * A view that follows `feed`. It is stale until it is loaded, and again when the feed knew nothing new for `staleAfterMs`.
 * Secrets that end within `horizonMs` are known by their end; at least the life of the longest token.
 */
export function createRevocationView(options: {
  feed: Pick<Feed, 'seq' | 'ageMs'>
  staleAfterMs: number
  horizonMs: number
  now?: () => number
  monotonic?: () => number
}): RevocationFollower {
  const { feed, staleAfterMs } = options
  const clocks: Clocks = { now: options.now ?? Date.now, monotonic: options.monotonic ?? (() => performance.now()) }
  const horizonMs = Math.max(options.horizonMs, longestTokenMs)
  const born = { wall: clocks.now(), monotonic: clocks.monotonic() }
  let entries = emptyEntries(clocks)
  let loaded = false

  /** What is over by now for certain, in whole milliseconds: a wall clock that was set forward does not make it more. */
  const surelyNow = () => Math.floor(Math.min(clocks.now(), born.wall + clocks.monotonic() - born.monotonic))

  return {
    name: 'revocation view',
    async load(snapshot) {
      // Built aside: requests see the old entries or the new ones.
      const span = { afterMs: surelyNow() - pastMs, beforeMs: clocks.now() + horizonMs }
      entries = await readEntries(snapshot, clocks, span)
      loaded = true
    },
    apply: (change) => applyChange(entries, change),
    refusal: (token, nowMs) => findRefusal(entries, token, nowMs),
    holds: (what, id) => entries.revoked[what].holds(id),
    isStale: () => !loaded || feed.ageMs() > staleAfterMs,
    get seq() {
      return feed.seq
    },
    get entries() {
      const { revoked, ends, disabledApplications, disabledTenants, disabledUsers } = entries
      const held = Object.values(revoked).reduce((sum, map) => sum + map.size, 0)
      return held + ends.size + disabledApplications.size + disabledTenants.size + disabledUsers.size
    },
  }
}

function emptyEntries(clocks: Clocks): Entries {
  const map = () => createExpiringMap(longestTokenMs + marginMs, clocks)
  return {
    revoked: { token: map(), credential: map(), grant: map(), application: map(), user: map(), tenant: map() },
    ends: map(),
    disabledApplications: new Set(),
    disabledTenants: new Set(),
    disabledUsers: new Set(),
  }
}

async function readEntries(
  snapshot: Statements,
  clocks: Clocks,
  span: { afterMs: number; beforeMs: number },
): Promise<Entries> {
  const entries = emptyEntries(clocks)
  for (const row of await listRevocations(snapshot, span.afterMs)) {
    entries.revoked[row.what].set(row.id, row.seq, row.expiresAt + marginMs)
  }
  for (const { keyId, endsAt } of await listCredentialEnds(snapshot, span.afterMs, span.beforeMs)) {
    entries.ends.set(keyId, endsAt, endsAt + pastMs)
  }
  const disabled = await listDisabled(snapshot)
  entries.disabledApplications = new Set(disabled.applications)
  entries.disabledTenants = new Set(disabled.tenants)
  entries.disabledUsers = new Set(disabled.users)
  return entries
}

function applyChange(entries: Entries, { seq, entry }: Change): void {
  for (const map of [...Object.values(entries.revoked), entries.ends]) map.sweep()
  switch (entry.kind) {
    case 'revoked':
      entries.revoked[entry.what].set(entry.id, seq, entry.expiresAt + marginMs)
      return
    case 'credential-end':
      entries.ends.set(entry.keyId, entry.endsAt, entry.endsAt + pastMs)
      return
    case 'application':
      setDisabled(entries.disabledApplications, entry.applicationId, entry.state)
      return
    case 'tenant':
      setDisabled(entries.disabledTenants, entry.tenantId, entry.state)
      return
    case 'user':
      setDisabled(entries.disabledUsers, entry.userId, entry.state)
      return
    case 'keys':
      return
  }
}

function setDisabled(disabled: Set<string>, id: string, state: 'enabled' | 'disabled'): void {
  if (state === 'disabled') disabled.add(id)
  else disabled.delete(id)
}

function findRefusal(entries: Entries, token: RevocableToken, nowMs: number): RevocationReason | undefined {
  const { revoked } = entries
  // A token is named exactly: whatever its number, it is the one that was meant.
  if (revoked.token.get(token.jti) !== undefined) return 'token_revoked'
  if (isBefore(token, revoked.credential.get(token.credentialId))) return 'credential_revoked'
  const endsAt = entries.ends.get(token.credentialId)
  if (endsAt !== undefined && nowMs >= endsAt) return 'credential_expired'
  if (isBefore(token, revoked.application.get(token.applicationId))) return 'application_revoked'
  if (entries.disabledApplications.has(token.applicationId)) return 'application_disabled'
  if (isBefore(token, revoked.tenant.get(token.tenantId))) return 'tenant_revoked'
  if (entries.disabledTenants.has(token.tenantId)) return 'tenant_disabled'
  if (token.grantId !== undefined && isBefore(token, revoked.grant.get(token.grantId))) return 'grant_revoked'
  if (token.userId === undefined) return undefined
  if (isBefore(token, revoked.user.get(token.userId))) return 'user_revoked'
  if (entries.disabledUsers.has(token.userId)) return 'user_disabled'
  return undefined
}

/** Whether the token was issued by somebody who had not heard of the change `seq` yet. */
function isBefore(token: RevocableToken, seq: number | undefined): boolean {
  return seq !== undefined && token.seq < seq
}
