// The same session under a new id (C12): when somebody goes on as who they are, or what they may do has changed, or has
// shown a second factor. When it ends at the latest and by which way they came stay as they were; nobody gets a longer
// session by it, and none that has ended begins again (C14).

import { write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { deleteSessions, insertSession, readSessions } from '../../storage/sql/people/sessions.js'
import { type Session, toSession } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { requireUser, type UserWrites } from '../writes.js'
import { type ProofBasis, requireBasis } from './proof-basis.js'
import { isAlive, labelOf } from './session-life.js'

/** How somebody has proved who they are from then on. */
export interface RenewedProof {
  acr: string
  amr: readonly string[]
  /** What it rests on, where that was shown a moment ago. */
  basis?: ProofBasis | undefined
  /**
   * They showed a second factor to get there. `whole`: it proves by itself who they are, so that they have proved it
   * now; a code proves only what it adds, and the time stays that of the first factor.
   */
  stepUp?: 'added' | 'whole' | undefined
}

/**
 * Ends the session of that hash and begins its continuation, with another `proof` where one is given. Throws UserRefusal
 * (SessionNotFound when it ended meanwhile, by whatever; ProofOvertaken) and StoreUnavailable.
 */
export async function renewSession(
  deps: UserWrites,
  renewal: { idHash: string; userAgent: string; address: string; proof?: RenewedProof },
): Promise<{ session: Session; cookie: string }> {
  const { idHash, userAgent, address, proof } = renewal
  const cookie = createOpaqueToken('pcl_se_')
  const session = await write(deps, async ({ tx, nowMs }) => {
    const [found] = await readSessions(tx, { idHash })
    const stands = found?.user_state === 'enabled' && isAlive(toSession(found), nowMs, deps.settings)
    if (!stands || (await deleteSessions(tx, { idHash })) === 0) {
      throw new UserRefusal('SessionNotFound', 'This session has ended.')
    }
    if (proof?.basis !== undefined) await requireBasis(tx, await requireUser({ tx }, found.user_id), proof.basis)
    const { user_state: _, ...row } = found
    const renewed = {
      ...row,
      ...(proof === undefined ? {} : { acr: proof.acr, amr: JSON.stringify(proof.amr) }),
      ...(proof?.stepUp === 'whole' ? { authenticated_at: nowMs } : {}),
      id_hash: hashOpaqueToken(cookie),
      last_seen_at: nowMs,
      address,
      user_agent: userAgent.slice(0, 256).replace(/[^\x20-\x7e]/g, '?'),
    }
    await insertSession(tx, renewed)
    if (proof?.stepUp !== undefined) {
      const { acr, amr } = proof
      const details = { acr, amr, session: labelOf(renewed.id_hash), continues: labelOf(idHash) }
      await appendAudit(deps, tx, { event: 'user.signed-in', userId: row.user_id, details })
    }
    return toSession(renewed)
  })
  return { session, cookie }
}
