// What counts only once: the `jti` of a client assertion (RFC 7523 §3), the challenge that a passkey signed, a request
// that was finished. The Store remembers it, so that it holds for all instances, needs no Redis, and survives a restart
// (decisions 0081, 0096). Nothing is remembered for somebody who has proved nothing.

import { createHash } from 'node:crypto'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { Bucket, Counters } from '../../storage/counters/counters.js'
import { findSingleUse, insertSingleUse } from '../../storage/sql/grants/single-uses.js'
import type { Statements, Store } from '../../storage/sql/store.js'

/** How many live uses one subject may have. Its own proofs alone count, so nobody fills the memory of another. */
const quotas = {
  'client-assertion': { limit: 60_000, periodMs: 6 * 60_000 },
  'federated-assertion': { limit: 60_000, periodMs: 61 * 60_000 },
  passkey: { limit: 200, periodMs: 10 * 60_000 },
  /** Sign-ins, consents and refusals of one person. */
  request: { limit: 5_000, periodMs: 70 * 60_000 },
} as const

export interface SingleUse {
  purpose: keyof typeof quotas
  /**
   * Whom it proves: applicationId, userId or the id of a federated credential. Known, because the signature was found
   * good before.
   */
  subject: string
  /** What comes only once, as it was signed. */
  id: string
  /** Epoch ms: from then on the proof has expired anyway. */
  expiresAt: number
}

interface Counting {
  counters: Counters
  monotonic: () => number
}

/**
 * True for the first use of a proof whose signature is good, false for every later one. Throws StoreUnavailable, and
 * OAuthError 503 when this subject alone has used so many that no more are remembered: neither says that the proof was
 * wrong.
 */
export async function useOnce(
  deps: Counting & { store: Store },
  { purpose, subject, id, expiresAt }: SingleUse,
): Promise<boolean> {
  await requireRoom(deps, purpose, subject)
  // One statement, which the primary key decides: it need not run again because another one ran beside it.
  const use = (tx: Statements) => useInTransaction(tx, { purpose, subject, id, expiresAt })
  const isFirst = await deps.store.transaction(use, 'first-lock')
  if (isFirst) await deps.counters.take([bucket(purpose, subject)], deps.monotonic())
  return isFirst
}

/** The same as part of a transaction, without counting: its caller has reserved room. */
export function useInTransaction(tx: Statements, { purpose, subject, id, expiresAt }: SingleUse): Promise<boolean> {
  return insertSingleUse(tx, { id_hash: hash(purpose, subject, id), purpose, expires_at: expiresAt })
}

/** Whether it was used. Throws StoreUnavailable. */
export function isUsed(
  statements: Statements,
  { purpose, subject, id }: Omit<SingleUse, 'expiresAt'>,
): Promise<boolean> {
  return findSingleUse(statements, hash(purpose, subject, id))
}

/** Counts one request that this person is about to finish. Throws OAuthError 503 when they have finished too many. */
export async function countFinished(deps: Counting, userId: string): Promise<void> {
  await requireRoom(deps, 'request', userId)
  await deps.counters.take([bucket('request', userId)], deps.monotonic())
}

async function requireRoom(deps: Counting, purpose: keyof typeof quotas, subject: string): Promise<void> {
  const [room] = await deps.counters.peek([bucket(purpose, subject)], deps.monotonic())
  // A count that is shared with others, for want of room, says nothing of this subject.
  if (room?.allowed === false && room.shared !== true) throw full(room.retryAfterMs)
}

function bucket(purpose: keyof typeof quotas, subject: string): Bucket {
  const algorithm = { kind: 'quota', ...quotas[purpose] } as const
  return { key: `once-${purpose};s${subject.length}:${subject}`, algorithm, cost: 1, mode: 'local' }
}

function hash(purpose: string, subject: string, id: string): string {
  return createHash('sha256')
    .update(JSON.stringify([purpose, subject, id]))
    .digest('hex')
}

function full(retryAfterMs: number): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'Too many proofs of this client or person were used. Try again later.',
    {
      number: errorNumber.unavailable,
      cause: 'single_use_full',
      retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
    },
  )
}
