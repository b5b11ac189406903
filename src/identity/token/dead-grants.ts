// Grants of which nothing lives any more, and when they are forgotten: their codes and refresh tokens are kept until then,
// so that one that comes back is known for what it is.

import { deleteGrants, listDeadGrants } from '../../memory/store/grant-upkeep.js'
import { longestTokenSeconds } from '../../tokens/claim-rules.js'
import type { IdentityDependencies } from '../dependencies.js'

/** What was issued last may live as long as any token, and clocks differ. */
const afterMs = longestTokenSeconds * 1000 + 3_600_000
/** Rows of one round, so that no lock is held for long. */
const batch = 200

/** Deletes a bounded number of dead grants with all that hangs on them; how many. Call it every ten minutes or so. */
export async function forgetDeadGrants(
  deps: Pick<IdentityDependencies, 'store' | 'now' | 'settings'>,
): Promise<number> {
  const nowMs = deps.now()
  const { codeLifetimeMs } = deps.settings.tokens
  const ends = { endedBefore: nowMs - afterMs, createdBefore: nowMs - afterMs - codeLifetimeMs }
  const dead = await listDeadGrants(deps.store.reader, ends, batch)
  if (dead.length > 0) await deps.store.transaction((tx) => deleteGrants(tx, dead))
  return dead.length
}
