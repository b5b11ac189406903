// What a caller who is known is charged for a call, by the limits of its plan.

import type { TokenPrincipal } from '../access/principal.js'
import type { RequestContext } from '../http/requests/request-context.js'
import type { LimitDecision, Limiter } from '../limits/limiter.js'
import type { RoutePlan } from './routes/snapshot.js'

export interface ChargedCall {
  facts: Pick<RequestContext, 'address'>
  plan: Pick<RoutePlan, 'id' | 'limits' | 'cost'>
  principal: TokenPrincipal | undefined
}

/** All limits but those by address. Throws, or rejects with, CountersUnavailable. */
export function chargeCaller(limiter: Limiter, call: ChargedCall): LimitDecision | Promise<LimitDecision> {
  const { facts, plan, principal } = call
  const subject = {
    address: facts.address,
    applicationId: principal?.applicationId,
    tenantId: principal?.tenantId,
    // An application that calls for itself is counted as nobody's; who is not known has no bucket.
    userId: principal?.kind === 'delegated' ? principal.userId : principal === undefined ? undefined : null,
    routeId: plan.id,
  }
  return limiter.decide(plan.limits, subject, 'caller', plan.cost)
}
