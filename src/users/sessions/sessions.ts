// Signed-in browsers (C12, C13). What the cookie says is 256 random bits, of which only the hash is stored; how long a
// session lives without use, and at most, is decided here at each look and not by the cookie.

import { write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { deleteSessions, insertSession, readSessions, touchSession } from '../../storage/sql/people/sessions.js'
import { updateUser } from '../../storage/sql/people/users.js'
import { type Session, toSession } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { requireUser, type UserWrites } from '../writes.js'
import { lastAccessEnd } from './end-access.js'
import { type ProofBasis, requireBasis } from './proof-basis.js'
import { isAlive, labelOf } from './session-life.js'

/** How exactly it is known when a session was last used; a page costs no write. */
const seenEveryMs = 60_000
const longestUserAgent = 256
/** Of one person; the one that was used longest ago gives way to the next. */
const mostSessions = 100

export interface NewSession {
  userId: string
  acr: string
  amr: readonly string[]
  /** As Session has it; absent: no way that is known. */
  way?: string | undefined
  userAgent: string
  address: string
  /** The session that this browser had: it ends in the same transaction (C12). */
  replaces?: string | undefined
  /**
   * What lastAccessEnd (end-access.ts) said before the proof was looked at; absent for what was proved in this moment.
   */
  provenAfter?: number | undefined
  /** What they showed besides a password: it has to be there still. */
  basis?: ProofBasis | undefined
  /** They have not signed in with this browser before. */
  isNewBrowser?: boolean | undefined
  /** When they proved who they are, in epoch seconds, where that was not now: at another provider, before they came. */
  provenAt?: number | undefined
}

/**
 * Begins a session. `cookie` is the only copy of what the browser is to keep. Throws UserRefusal (UserNotFound,
 * UserDisabled, ProofOvertaken) and StoreUnavailable.
 */
export async function createSession(
  deps: UserWrites,
  input: NewSession,
): Promise<{ session: Session; cookie: string }> {
  const cookie = createOpaqueToken('pcl_se_')
  const session = await write(deps, async ({ tx, nowMs }) => {
    const user = await requireUser({ tx }, input.userId)
    if (user.state !== 'enabled') throw new UserRefusal('UserDisabled', 'This account is disabled.')
    if (input.provenAfter !== undefined && (await lastAccessEnd(tx, user.id)) > input.provenAfter) {
      throw new UserRefusal('ProofOvertaken', 'The access of this account was ended meanwhile.')
    }
    if (input.basis !== undefined) await requireBasis(tx, user, input.basis)
    if (input.replaces !== undefined) await deleteSessions(tx, { idHash: input.replaces })
    const row = {
      id_hash: hashOpaqueToken(cookie),
      user_id: user.id,
      created_at: nowMs,
      last_seen_at: nowMs,
      expires_at: nowMs + deps.settings.sessionMs,
      authenticated_at: Math.min(nowMs, Math.floor((input.provenAt ?? nowMs) * 1000)),
      acr: input.acr,
      amr: JSON.stringify(input.amr),
      sign_in_way: input.way ?? '',
      user_agent: input.userAgent.slice(0, longestUserAgent).replace(/[^\x20-\x7e]/g, '?'),
      address: input.address,
    }
    await insertSession(tx, row)
    const others = (await readSessions(tx, { userId: user.id })).filter((other) => other.id_hash !== row.id_hash)
    for (const { id_hash: idHash } of others.slice(mostSessions - 1)) {
      await deleteSessions(tx, { idHash })
      await appendAudit(deps, tx, { event: 'session.ended', userId: user.id, details: { session: labelOf(idHash) } })
    }
    await updateUser(tx, user.id, { last_sign_in_at: nowMs })
    const { acr, amr } = input
    // The first of all is no news.
    const isNew = input.isNewBrowser === true && user.last_sign_in_at !== null
    await appendAudit(deps, tx, {
      event: 'user.signed-in',
      userId: user.id,
      details: { acr, amr, session: labelOf(row.id_hash), ...(isNew ? { newBrowser: true } : {}) },
    })
    return toSession(row)
  })
  return { session, cookie }
}

/** The living session of this cookie, of a user who is enabled; noted as used now. Throws StoreUnavailable. */
export async function findSession(deps: UserWrites, cookie: string): Promise<Session | undefined> {
  if (!/^pcl_se_[0-9A-Za-z]{43}$/.test(cookie)) return undefined
  const [row] = await readSessions(deps.store.reader, { idHash: hashOpaqueToken(cookie) })
  if (row === undefined || row.user_state !== 'enabled') return undefined
  const session = toSession(row)
  const nowMs = deps.now()
  if (!isAlive(session, nowMs, deps.settings)) return undefined
  if (nowMs - session.lastSeenAt >= seenEveryMs) {
    await deps.store.transaction((tx) => touchSession(tx, session.idHash, nowMs))
  }
  return session
}

/**
 * Ends one session, of this user when one is named; false when there was none. `createdAt`: of the session that was
 * shown, epoch milliseconds; it ends as well when it has gone on under another id since, or somebody could keep it by
 * going on again and again. Throws StoreUnavailable.
 */
export async function endSession(
  deps: UserWrites,
  ending: { idHash: string; userId?: string; createdAt?: number },
): Promise<boolean> {
  return write(deps, async ({ tx }) => {
    const { idHash, userId, createdAt } = ending
    const [named] = await readSessions(tx, { idHash })
    const others = named !== undefined || userId === undefined ? [] : await readSessions(tx, { userId })
    const row = named ?? others.find((each) => Number(each.created_at) === createdAt)
    if (row === undefined || (userId !== undefined && row.user_id !== userId)) return false
    await deleteSessions(tx, { idHash: row.id_hash })
    const details = { session: labelOf(row.id_hash) }
    await appendAudit(deps, tx, { event: 'session.ended', userId: row.user_id, details })
    return true
  })
}

/** The living sessions of a user, the one that was used last first. Throws StoreUnavailable. */
export async function listSessions(deps: UserWrites, userId: string): Promise<Session[]> {
  const rows = await readSessions(deps.store.reader, { userId })
  const nowMs = deps.now()
  return rows.map(toSession).filter((session) => isAlive(session, nowMs, deps.settings))
}
