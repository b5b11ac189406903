// The same session under a new id (C12): when somebody goes on as who they are, or what they may do has changed. When
// they proved it and when the session ends at the latest stay as they were; how does unless a factor came or went.

import { write } from '../../directory/writes.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { deleteSessions, insertSession, readSessions } from '../../storage/sql/people/sessions.js'
import { type Session, toSession } from '../records.js'
import { UserRefusal } from '../refusal.js'
import type { UserWrites } from '../writes.js'

/**
 * Ends the session of that hash and begins its continuation, with another `proof` where one is given. Throws UserRefusal (SessionNotFound) and StoreUnavailable.
 */
export async function renewSession(
  deps: UserWrites,
  renewal: { idHash: string; userAgent: string; address: string; proof?: { acr: string; amr: readonly string[] } },
): Promise<{ session: Session; cookie: string }> {
  const { idHash, userAgent, address, proof } = renewal
  const cookie = createOpaqueToken('pcl_se_')
  const session = await write(deps, async ({ tx, nowMs }) => {
    const [found] = await readSessions(tx, { idHash })
    if (found === undefined || (await deleteSessions(tx, { idHash })) === 0) {
      throw new UserRefusal('SessionNotFound', 'This session has ended.')
    }
    const { user_state: _, ...row } = found
    const renewed = {
      ...row,
      ...(proof === undefined ? {} : { acr: proof.acr, amr: JSON.stringify(proof.amr) }),
      id_hash: hashOpaqueToken(cookie),
      last_seen_at: nowMs,
      address,
      user_agent: userAgent.slice(0, 256).replace(/[^\x20-\x7e]/g, '?'),
    }
    await insertSession(tx, renewed)
    return toSession(renewed)
  })
  return { session, cookie }
}
