// Exchanging a refresh token for its successor. A token has one successor, which follows from it under a key of the
// server's: a client whose answer was lost asks again and gets the same, so that no answer is ever kept in clear, and
// two requests at once do not become two families (RFC 9700 §4.14.2, S1 to S3).

import { createHmac } from 'node:crypto'
import { encodeBase62 } from '../../../oauth/secrets/base62.js'
import { hashOpaqueToken } from '../../../oauth/secrets/opaque-token.js'
import { type GrantRow, readGrant, updateGrant } from '../../../storage/sql/grants/grants.js'
import {
  forgetExchangedTokens,
  insertRefreshToken,
  noteRefreshTokenUse,
  type RefreshTokenRow,
  readRefreshToken,
} from '../../../storage/sql/grants/refresh-tokens.js'
import type { Statements, Store } from '../../../storage/sql/store.js'
import { withFamily } from '../../refresh-family.js'

/**
 * Rows of one family. An older token is known by what it says of itself (refresh-family.ts); rows tell when it was
 * used.
 */
const keptExchanged = 1_000
const forgetEvery = 100

/** `first`: to be exchanged. `repeated`: exchanged a moment ago, and nobody has used its successor. */
export type RefreshStatus = 'first' | 'repeated' | 'reused' | 'expired' | 'ended'

export interface RefreshTimes {
  nowMs: number
  /** How long a token can be sent again after its first use. */
  graceMs: number
  idleMs: number
}

/** Derived keys, newest first. */
export interface RefreshKeys {
  successor: readonly Uint8Array[]
  /** As refresh-family.ts has them. */
  family: readonly Uint8Array[]
}

interface Presented {
  token: string
  grantId: string
}

/**
 * The status of a refresh token in its grant. The rows may have been read one after the other: a token that looks
 * unused beside a grant that has gone on is being exchanged at this moment, and no proof of anything.
 */
export function refreshStatus(
  grant: GrantRow | undefined,
  token: RefreshTokenRow,
  { nowMs, graceMs }: Pick<RefreshTimes, 'nowMs' | 'graceMs'>,
): RefreshStatus {
  if (grant?.state !== 'active') return 'ended'
  const behind = Number(grant.refresh_sequence) - Number(token.sequence)
  const usedAt = token.used_at === null ? nowMs : Number(token.used_at)
  // Reuse comes before age: a stolen token does not become harmless by waiting.
  if (behind > 1 || (behind === 1 && nowMs >= usedAt + graceMs)) return 'reused'
  if (nowMs >= Number(grant.idle_expires_at) || nowMs >= Number(grant.expires_at)) return 'expired'
  return behind === 1 ? 'repeated' : 'first'
}

/**
 * The successor of `presented`, written in one transaction; or why there is none. The absolute end of the family stays
 * where it is (S7). The keys, newest first, outlive a change of the master key: a repetition finds the successor under
 * the old one.
 */
export async function exchangeRefreshToken(
  store: Store,
  keys: RefreshKeys,
  presented: Presented,
  times: RefreshTimes,
): Promise<{ successor: string; grant: GrantRow } | { status: 'reused' | 'expired' | 'ended' }> {
  const hash = hashOpaqueToken(presented.token)
  return store.transaction(async (tx) => {
    const grant = await readGrant(tx, presented.grantId, 'lock')
    const row = await readRefreshToken(tx, hash)
    const status = row === undefined ? 'ended' : refreshStatus(grant, row, times)
    if (grant === undefined || row === undefined || (status !== 'first' && status !== 'repeated')) {
      return { status: status === 'reused' || status === 'expired' ? status : 'ended' }
    }
    const sequence = Number(row.sequence) + 1
    const candidates = successorsOf(keys, presented, sequence)
    const successor = status === 'first' ? candidates[0] : await writtenOf(tx, candidates)
    // Of an old key that is gone: the caller is told the truth, and nothing was reused.
    if (successor === undefined) return { status: 'expired' }
    if (status === 'repeated') return { successor, grant }
    const change = {
      refresh_sequence: sequence,
      idle_expires_at: Math.min(times.nowMs + times.idleMs, Number(grant.expires_at)),
    }
    await noteRefreshTokenUse(tx, hash, times.nowMs)
    const written = { hash: hashOpaqueToken(successor), grantId: grant.id, sequence, createdAt: times.nowMs }
    await insertRefreshToken(tx, written)
    if (sequence % forgetEvery === 0) await forgetExchangedTokens(tx, grant.id, sequence - keptExchanged)
    await updateGrant(tx, grant.id, change)
    return { successor, grant: { ...grant, ...change } }
  }, 'first-lock')
}

/** The one to be written first; then all that may have been written for this token. */
function successorsOf(keys: RefreshKeys, { token, grantId }: Presented, sequence: number): string[] {
  const secrets = keys.successor.map((key) => {
    const mac = createHmac('sha256', key)
      .update(JSON.stringify([token, grantId, sequence]))
      .digest()
    return `pcl_rt_${encodeBase62(mac, 43)}`
  })
  const named = secrets.flatMap((secret) => keys.family.map((key) => withFamily([key], secret, { grantId, sequence })))
  // An instance of an older version, during an upgrade, writes them without their family.
  return [...named, ...secrets]
}

async function writtenOf(tx: Statements, candidates: readonly string[]): Promise<string | undefined> {
  for (const candidate of candidates) {
    if ((await readRefreshToken(tx, hashOpaqueToken(candidate))) !== undefined) return candidate
  }
  return undefined
}
