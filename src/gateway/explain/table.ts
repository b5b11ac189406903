// The parts of an explanation that are read from the compiled table: the route with its place in the file, the service
// behind it, and what is left of its limits.

import type { LimitSubject } from '../../limits/compiled-policy.js'
import type { PeekingLimiter } from '../../limits/limiter.js'
import { CountersUnavailable } from '../../storage/counters/counters.js'
import type { RouteEntry, RoutePlan } from '../routes/snapshot.js'
import { statesOf } from '../upstreams/target-states.js'
import { isFull, type Upstream } from '../upstreams/upstream.js'
import type { Explanation } from './explanation.js'

/** The route as the file says it. */
export function explainRoute(plan: RoutePlan, { allow }: RouteEntry): Explanation['route'] {
  const { path: pattern, position } = plan.route
  const { id, resource, onStale, bodyBytes } = plan
  return { id, pattern, allow, public: plan.requirement === 'public', resource, onStale, bodyBytes, ...position }
}

/** The service; `now` is epoch ms. Where it is, and why it fails, is left out for those who are no operators. */
export function explainUpstream(upstream: Upstream, now: number): Explanation['upstream'] {
  const { name, requests, lastOutcome = null, targets, candidates } = upstream
  return {
    name,
    state: isFull(requests) ? 'full' : candidates.down ? 'down' : 'ready',
    inFlight: requests.underWay,
    most: requests.most,
    lastOutcome,
    targets: targets.length,
    targetsUp: targets.filter(candidates.isUp).length,
    trouble: troubleOf(upstream, now),
    ...upstream.settings.position,
  }
}

function troubleOf(upstream: Upstream, now: number): NonNullable<Explanation['upstream']>['trouble'] {
  const states = statesOf(upstream)
  const found = states.find(({ trouble }) => trouble !== undefined) ?? states.find(({ state }) => state !== 'up')
  if (found === undefined) return null
  const { target, state, trouble, downForMs = 0 } = found
  const forMs = trouble?.forMs ?? downForMs
  const cause = trouble?.cause ?? null
  return { target, state: state === 'unwell' ? state : 'failing', since: new Date(now - forMs).toISOString(), cause }
}

/** Every limit of the route that counts this caller. None when the counts cannot be had: the decision says so. */
export async function explainLimits(
  limiter: Pick<PeekingLimiter, 'peek'>,
  plan: RoutePlan,
  subject: LimitSubject,
): Promise<Explanation['limits']> {
  const { applicationId, tenantId, userId, address } = subject
  try {
    const who = applicationId === undefined ? undefined : (userId ?? null)
    const question = { applicationId, tenantId, userId: who, address, routeId: plan.id }
    const { policies, states, plan: planName } = await limiter.peek(plan.limits, question, undefined, plan.cost)
    return policies.map(({ name, by, algorithm, plan: isOfPlan }, i) => {
      const { allowed = false, remaining = 0, resetMs = 0 } = states[i] ?? {}
      return {
        name,
        plan: isOfPlan === true ? (planName ?? null) : null,
        by: [...by],
        limit: algorithm.limit,
        periodSeconds: algorithm.periodMs / 1000,
        remaining,
        resetSeconds: resetMs / 1000,
        allows: allowed,
      }
    })
  } catch (error) {
    if (error instanceof CountersUnavailable) return []
    throw error
  }
}
