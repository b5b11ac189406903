// The revocation view of this instance, kept by the Feed. A revocation of a subject is a change number: tokens of it
// that were issued before that number (their `seq`) are refused, those after are not. No clock takes part, so neither a
// slow instance nor a wrong one can issue a token that survives. Disabled is a state, not a number: it can be undone.

import type { Change, Feed, Follower, RevocationKind } from '../storage/changes/feed.js'
import { type FeedGap, listGaps } from '../storage/sql/cluster/feed-gaps.js'
import { listCredentialEnds, listDisabled } from '../storage/sql/revocation/revocable-states.js'
import { readRevocations } from '../storage/sql/revocation/revocation-pages.js'
import type { Statements } from '../storage/sql/store.js'
import { longestTokenSeconds } from '../tokens/claim-rules.js'
import { type Clocks, createExpiringMap, type ExpiringMap } from './expiring-map.js'
import { createGuidMap } from './guid-map.js'
import { holderId } from './holder.js'
import { createTokenTable, type TokenTable } from './token-table.js'
import type { RevocableToken, RevocationReason, RevocationView } from './view.js'

/** How long an entry outlives the longest token: leeway, and clocks that differ between instances. */
const marginMs = 3_600_000
const longestTokenMs = longestTokenSeconds * 1000

/** What ended longer ago is not loaded. Generous, because at a start nothing but the wall clock can tell. */
const pastMs = longestTokenMs + marginMs

type Subject = Exclude<RevocationKind, 'token'>

interface Entries {
  tokens: TokenTable
  revoked: Record<Subject, ExpiringMap>
  /** Ends of credentials, epoch milliseconds. */
  ends: ExpiringMap
  disabledApplications: Set<string>
  disabledTenants: Set<string>
  disabledUsers: Set<string>
  /** Oldest first. */
  gaps: FeedGap[]
}

export type RevocationFollower = RevocationView & Follower

/**
 * A view that follows `feed`. It is stale until it is loaded, and again when the feed knew nothing new for
 * `staleAfterMs`. Secrets that end within `horizonMs` are known by their end; at least the life of the longest token. A
 * single token is kept until its own end, and for `tokenLifetimeMs` (absent: the longest there may be) by a clock that
 * cannot be set.
 */
export function createRevocationView(options: {
  feed: Pick<Feed, 'seq' | 'ageMs'>
  staleAfterMs: number
  horizonMs: number
  tokenLifetimeMs?: number
  now?: () => number
  monotonic?: () => number
}): RevocationFollower {
  const { feed, staleAfterMs } = options
  const clocks: Clocks = { now: options.now ?? Date.now, monotonic: options.monotonic ?? (() => performance.now()) }
  const horizonMs = Math.max(options.horizonMs, longestTokenMs)
  const born = { wall: clocks.now(), monotonic: clocks.monotonic() }
  let entries = emptyEntries(clocks)
  let loaded = false
  let tokensAfterMs = Number.MAX_SAFE_INTEGER

  /**
   * What is over by now for certain, in whole milliseconds: a wall clock that was set forward does not make it more.
   */
  const surelyNow = () => Math.floor(Math.min(clocks.now(), born.wall + clocks.monotonic() - born.monotonic))
  const leastMs = Math.min(options.tokenLifetimeMs ?? longestTokenMs, longestTokenMs) + marginMs
  const addToken = (tokens: TokenTable, jti: string, endsAt: number) =>
    tokens.add(jti, endsAt, Math.max(leastMs, Math.min(pastMs, endsAt - surelyNow())))

  const refusalOf = (token: RevocableToken, nowMs: number) =>
    isUnknown(entries.gaps, token.seq, feed.seq) ? 'unknown_change' : findRefusal(entries, token, nowMs)

  return {
    name: 'revocation view',
    async load(snapshot) {
      // Built aside: requests see the old entries or the new ones.
      const now = surelyNow()
      const span = { afterMs: now - pastMs, beforeMs: clocks.now() + horizonMs, tokensAfterMs: now - marginMs }
      entries = await readEntries(snapshot, { clocks, span, addToken })
      tokensAfterMs = loaded ? Math.max(tokensAfterMs, span.tokensAfterMs) : span.tokensAfterMs
      loaded = true
    },
    apply: (change) => applyChange(entries, change, addToken),
    refusal(token, nowMs) {
      const reason = refusalOf(token, nowMs)
      if (reason !== undefined || token.parents === undefined) return reason
      for (const parent of token.parents) {
        const ofParent = refusalOf(parent, nowMs)
        if (ofParent !== undefined) return ofParent
      }
      return undefined
    },
    holds: (what, id) => (what === 'token' ? entries.tokens.holds(id) : entries.revoked[what].holds(id)),
    get tokensAfterMs() {
      return tokensAfterMs
    },
    isStale: () => !loaded || feed.ageMs() > staleAfterMs,
    get seq() {
      return feed.seq
    },
    get entries() {
      const { tokens, revoked, ends, disabledApplications, disabledTenants, disabledUsers } = entries
      const held = Object.values(revoked).reduce((sum, map) => sum + map.size, 0)
      return tokens.size + held + ends.size + disabledApplications.size + disabledTenants.size + disabledUsers.size
    },
  }
}

function emptyEntries(clocks: Clocks): Entries {
  const map = () => createExpiringMap(longestTokenMs + marginMs, clocks)
  const guids = () => createGuidMap(longestTokenMs + marginMs, clocks)
  return {
    tokens: createTokenTable(clocks),
    revoked: { credential: map(), grant: guids(), holder: map(), application: map(), user: guids(), tenant: map() },
    ends: map(),
    disabledApplications: new Set(),
    disabledTenants: new Set(),
    disabledUsers: new Set(),
    gaps: [],
  }
}

type AddToken = (tokens: TokenTable, jti: string, endsAt: number) => void

interface Reading {
  clocks: Clocks
  span: { afterMs: number; tokensAfterMs: number; beforeMs: number }
  addToken: AddToken
}

async function readEntries(snapshot: Statements, { clocks, span, addToken }: Reading): Promise<Entries> {
  const entries = emptyEntries(clocks)
  for await (const { what, id, seq, expiresAt } of readRevocations(snapshot, span)) {
    if (what === 'token') addToken(entries.tokens, id, expiresAt)
    else entries.revoked[what].set(id, seq, expiresAt + marginMs)
  }
  for (const { keyId, endsAt } of await listCredentialEnds(snapshot, span.afterMs, span.beforeMs)) {
    entries.ends.set(keyId, endsAt, endsAt + pastMs)
  }
  const disabled = await listDisabled(snapshot)
  entries.disabledApplications = new Set(disabled.applications)
  entries.disabledTenants = new Set(disabled.tenants)
  entries.disabledUsers = new Set(disabled.users)
  entries.gaps = await listGaps(snapshot)
  return entries
}

function applyChange(entries: Entries, { seq, entry }: Change, addToken: AddToken): void {
  for (const map of [...Object.values(entries.revoked), entries.ends, entries.tokens]) map.sweep()
  switch (entry.kind) {
    case 'revoked':
      if (entry.what === 'token') addToken(entries.tokens, entry.id, entry.expiresAt)
      else entries.revoked[entry.what].set(entry.id, seq, entry.expiresAt + marginMs)
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
    case 'gap':
      entries.gaps.push({ after: entry.after, until: seq })
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
  if (entries.tokens.has(token.jti)) return 'token_revoked'
  if (isBefore(token, revoked.credential.get(token.credentialId))) return 'credential_revoked'
  const endsAt = entries.ends.get(token.credentialId)
  if (endsAt !== undefined && nowMs >= endsAt) return 'credential_expired'
  if (revoked.holder.size > 0 && isBefore(token, revoked.holder.get(holderId(token)))) return 'holder_revoked'
  if (isBefore(token, revoked.application.get(token.applicationId))) return 'application_revoked'
  if (entries.disabledApplications.has(token.applicationId)) return 'application_disabled'
  if (isBefore(token, revoked.tenant.get(token.tenantId))) return 'tenant_revoked'
  if (entries.disabledTenants.has(token.tenantId)) return 'tenant_disabled'
  if (token.grantId !== undefined && revoked.grant.size > 0 && isBefore(token, revoked.grant.get(token.grantId)))
    return 'grant_revoked'
  if (token.userId === undefined) return undefined
  if (revoked.user.size > 0 && isBefore(token, revoked.user.get(token.userId))) return 'user_revoked'
  if (entries.disabledUsers.has(token.userId)) return 'user_disabled'
  return undefined
}

/**
 * Whether the token names a change that this Store never had, or this instance not yet. Its issuer knew another Store:
 * one whose end was lost. Of a token that is newer than the last gap nothing else is checked.
 */
function isUnknown(gaps: readonly FeedGap[], seq: number, newest: number): boolean {
  if (seq > newest) return true
  for (let at = gaps.length - 1; at >= 0; at -= 1) {
    const { after, until } = gaps[at] as FeedGap
    if (seq >= until) return false
    if (seq > after) return true
  }
  return false
}

/** Whether the token was issued by somebody who had not heard of the change `seq` yet. */
function isBefore(token: RevocableToken, seq: number | undefined): boolean {
  return seq !== undefined && token.seq < seq
}
