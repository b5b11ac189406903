// One decision with all that it leaves behind, for two callers: the gate for a request that it forwards, or a proxy
// for one of its own (forward-auth/). Counted, added to the usage of whose call it was, and noted for the owners of
// applications.

import type { FastifyBaseLogger } from 'fastify'
import type { Usage } from '../access/usage.js'
import type { RequestContext } from '../http/requests/request-context.js'
import type { Metrics } from '../observability/metrics.js'
import {
  type AdmitDeps,
  createAdmit,
  isMessage,
  type PresentedHead,
  refusalWithoutCounters,
  type Verdict,
} from './admit.js'
import { refusal } from './errors.js'
import type { NoteRefusal } from './refusal-notes.js'
import type { RouteSnapshot } from './routes/snapshot.js'

export interface DecisionDeps extends Omit<AdmitDeps, 'counts'> {
  metrics: Pick<Metrics, 'authDecisions' | 'stalePasses' | 'wouldDeny'>
  usage: Pick<Usage, 'allowed' | 'refused'>
  noteRefusal: NoteRefusal
  /** The snapshot that a request which begins now is decided by. */
  routes: () => RouteSnapshot
  log: Pick<FastifyBaseLogger, 'error'>
}

/** Calls `then` once, at once or later. Throws nothing of its own: what fails is a refusal. */
export type Decide = (head: PresentedHead, facts: RequestContext, then: (verdict: Verdict) => void) => void

/** Builds it. */
export function createDecision(deps: DecisionDeps): Decide {
  const { usage, noteRefusal, routes, log } = deps
  const admit = createAdmit({
    authenticator: deps.authenticator,
    externalTokens: deps.externalTokens,
    view: deps.view,
    directory: deps.directory,
    consentsOf: deps.consentsOf,
    limiter: deps.limiter,
    counts: decisionCounts(deps.metrics),
    baseUrl: deps.baseUrl,
  })
  const settled = (head: PresentedHead, facts: RequestContext, verdict: Verdict): Verdict => {
    if (verdict.kind === 'passed' && isMessage({ raw: head, plan: verdict.plan })) return verdict
    countUse(usage, facts, verdict)
    if (verdict.kind === 'passed' && verdict.wouldDeny === undefined) verdict.plan.countGranted()
    if (verdict.kind === 'refused')
      noteRefusal({ facts, method: head.method, principal: verdict.principal, refused: verdict })
    return verdict
  }
  const failed = (facts: RequestContext, error: unknown): Verdict => {
    const known = refusalWithoutCounters(error)
    if (known !== undefined) return known
    log.error({ requestId: facts.requestId, err: error }, 'the decision failed')
    return refusal('internal', error)
  }
  return (head, facts, then) => {
    let verdict: Verdict | Promise<Verdict>
    try {
      verdict = admit(head, facts, routes())
    } catch (error) {
      then(failed(facts, error))
      return
    }
    if (!(verdict instanceof Promise)) then(settled(head, facts, verdict))
    else
      verdict.then(
        (late) => then(settled(head, facts, late)),
        (error: unknown) => then(failed(facts, error)),
      )
  }
}

/** What a decision counts. */
export function decisionCounts({
  authDecisions,
  stalePasses,
  wouldDeny,
}: DecisionDeps['metrics']): AdmitDeps['counts'] {
  return {
    denied: (routeId, reason) => authDecisions.labels(routeId, 'denied', reason).inc(),
    passedStale: (route) => stalePasses.inc({ route }),
    wouldDeny(route, reason) {
      wouldDeny.inc({ route, reason })
      authDecisions.labels(route, 'allowed', 'shadow').inc()
    },
  }
}

/** Whose call it was; nobody on a public route. */
function countUse(usage: DecisionDeps['usage'], facts: RequestContext, verdict: Verdict): void {
  if (verdict.kind === 'options' || verdict.principal === undefined) return
  if (verdict.kind === 'passed') facts.entry.call = usage.allowed(verdict.principal, verdict.plan, verdict.permissions)
  else if (facts.entry.route !== undefined) usage.refused(verdict.principal, facts.entry.route, verdict.error.status)
}
