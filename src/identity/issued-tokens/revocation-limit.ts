// How often anybody revokes: each revocation stays for as long as its token could have lived (decision 0090).

import type { Registration } from '../../directory/records.js'
import { limitHeaders, retryAfterSeconds } from '../../limits/headers.js'
import type { IdentityDependencies } from '../dependencies.js'
import { throttled } from '../limits.js'

const policies = ['token-revocation'] as const

/**
 * Charges one revocation that will be recorded, of a token of this person, or of the application itself (`sub`). Nobody
 * else's budget is touched, so nobody can keep others from revoking. Throws OAuthError 429.
 */
export async function chargeRevocation(
  { limiter, settings }: Pick<IdentityDependencies, 'limiter' | 'settings'>,
  { sub, tid }: { sub: string; tid: string },
  { applicationId }: Registration,
): Promise<void> {
  // Every file has it; a limiter that was made of other policies has not.
  if (!settings.limits.has(policies[0])) return
  const decision = await limiter.decide(policies, { applicationId, tenantId: tid, userId: sub }, 'caller')
  if (!decision.allowed) throw throttled(retryAfterSeconds(decision), limitHeaders(decision))
}
