// The end of a step-up: the session goes on under a new id, with the factor added to what it was. It keeps its end, its
// way and everything that was proved before, so whatever ended it, or would have, still does (C14).

import { UserRefusal } from '../../../users/refusal.js'
import { continueBrowser } from '../../../web/browser.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { withFactor } from './proof-after.js'
import type { Attempt } from './step-up.js'

/**
 * Adds what was shown a moment ago to the session of this browser, and goes on. False when the session, or what was
 * shown, is gone meanwhile: nothing is written then. Throws StoreUnavailable.
 */
export async function finishStepUp(
  deps: IdentityDependencies,
  { request, reply, browser, purpose }: Attempt,
  shown: 'code' | 'recoveryCode' | { passkey: string },
): Promise<boolean> {
  const { session } = browser
  if (session === undefined) return false
  const proof =
    typeof shown === 'string'
      ? { ...withFactor(session, shown === 'code' ? ['otp'] : []), basis: { codes: true }, stepUp: 'added' as const }
      : { ...withFactor(session, ['hwk', 'user']), basis: shown, stepUp: 'whole' as const }
  try {
    await continueBrowser(deps, request, reply, session, proof)
  } catch (error) {
    if (error instanceof UserRefusal) return false
    throw error
  }
  reply.redirect(purpose.next, 303)
  return true
}
