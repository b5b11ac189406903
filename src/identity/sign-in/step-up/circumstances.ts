// What a sign-in is measured by at this moment: the clock, and which second factors the person has.

import type { Session } from '../../../users/records.js'
import type { IdentityDependencies } from '../../dependencies.js'
import type { PendingRequest } from '../../pending/pending-request.js'
import { isRecent } from '../recent.js'
import type { SignInCircumstances } from '../sign-in-need.js'
import { hasAny, secondFactorsOf } from './second-factors.js'

/** For signInNeed. Throws StoreUnavailable. */
export async function circumstancesOf(
  deps: IdentityDependencies,
  { createdAt }: Pick<PendingRequest, 'createdAt'>,
  session: Session | undefined,
): Promise<SignInCircumstances> {
  return {
    startedAtMs: createdAt,
    nowMs: deps.now(),
    hasSecondFactor: hasAny(await secondFactorsOf(deps, session)),
    isRecent: session !== undefined && isRecent(deps, session),
  }
}
