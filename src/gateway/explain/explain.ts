// Why a call would be allowed or refused (contract §7): the gate's own decision without its effects (dry-run.ts), and
// beside it everything that the decision stands on. Nothing is charged, counted, signed or written; a token that is
// shown is verified and forgotten.

import { type Authenticator, createAuthenticator, simulatedAuthenticator } from '../../access/authenticate.js'
import type { TokenPrincipal } from '../../access/principal.js'
import type { SimulatedCaller, SimulatedToken } from '../../access/simulated-caller.js'
import type { Settings } from '../../config/settings/settings.js'
import { canonicalTarget } from '../../http/requests/canonical-target.js'
import type { PeekingLimiter } from '../../limits/limiter.js'
import type { RevocationView } from '../../revocation/view.js'
import type { Keyring } from '../../tokens/keys/keys.js'
import type { Verdict } from '../admit.js'
import type { Gate } from '../gate.js'
import { operationNamed } from '../mcp/named-operation.js'
import { explainDecision } from './decision.js'
import { type DryRunDeps, dryRun } from './dry-run.js'
import type { Explanation } from './explanation.js'
import { type About, type FactsDeps, readFacts } from './facts.js'
import type { CallQuestion, Found } from './question.js'
import { remedySteps } from './remedies.js'
import { requirementStatus, statesOf } from './requirement-status.js'
import { explainLimits, explainRoute, explainUpstream } from './table.js'

export interface ExplainDeps extends FactsDeps {
  settings: Settings
  gate: Gate
  limiter: PeekingLimiter
  toolPins: DryRunDeps['toolPins']
  view: Pick<RevocationView, 'isStale' | 'refusal'>
  keyring: Pick<Keyring, 'verificationKey' | 'generation'>
  authenticator: Pick<Authenticator, 'revalidate'>
  /** What a token of this caller would be now; the token endpoint's own answer. */
  simulate: (caller: SimulatedCaller) => Promise<SimulatedToken>
  /** Epoch milliseconds. */
  now: () => number
}

/** Answers it. Throws StoreUnavailable. */
export type Explain = (question: CallQuestion) => Promise<Explanation>

/** Builds it. What it answers with throws StoreUnavailable. */
export function createExplain(deps: ExplainDeps): Explain {
  return async (question) => {
    const routes = deps.gate.routes()
    const { caller, operation: named } = question
    const operation = named === undefined ? undefined : operationNamed(named)
    const simulated =
      caller.kind === 'simulated'
        ? await deps.simulate({ ...caller, resource: resourceFor(deps, question) })
        : undefined
    const token = caller.kind === 'token' ? caller.token : simulated?.kind === 'granted' ? 'simulated' : undefined
    const authenticator = authenticatorFor(deps, simulated)
    const request = { ...question, token, operation }
    const { verdict, facts, plan } = await dryRun(deps, { request, routes, authenticator })
    const principal = principalIn(verdict, simulated)
    const about = aboutOf(question, principal)
    return assemble(deps, {
      question,
      verdict,
      simulated,
      principal,
      about,
      path: facts.target.ok ? facts.target.path : undefined,
      routeId: facts.entry.route,
      plan,
    })
  }
}

async function assemble(deps: ExplainDeps, found: Found): Promise<Explanation> {
  const { question, principal, about, path, simulated } = found
  const { settings, gate } = deps
  const facts = about === undefined ? undefined : await readFacts(deps, about)
  const entry = path === undefined ? undefined : gate.routes().find(path)
  const ofRoute = found.routeId === undefined ? undefined : entry?.plans.get(question.method)
  const plan = found.plan ?? ofRoute
  const limits =
    plan === undefined ? [] : await explainLimits(deps.limiter, plan, { ...about, address: question.address })
  const { decision, decidedBy, consentUri } = explainDecision(settings, found, { plan, limits })
  const requirement =
    plan === undefined || plan.requirement === 'public'
      ? []
      : requirementStatus({ catalogue: settings.catalogue, requirement: plan.requirement, facts, principal })
  const upstream = plan === undefined ? null : explainUpstream(plan.upstream, deps.now())
  const caller = callerOf(found, facts?.registration?.name)
  const tokenRefusal = simulated?.kind === 'refused' ? refusalOf(simulated) : null
  return {
    request: {
      method: question.method,
      path: path ?? null,
      ...(question.operation === undefined ? {} : { operation: question.operation }),
    },
    decision,
    decidedBy,
    requirement,
    tokenRefusal,
    limits,
    route: plan === undefined || entry === undefined ? null : explainRoute(plan, entry),
    states: statesOf(facts, deps.view.isStale(), deps.now()),
    upstream,
    caller,
    remedy: remedySteps({ decision, requirement, tokenRefusal, upstream, caller }, consentUri),
  }
}

/** Of the route that the call would meet; else of the own API. */
function resourceFor({ gate, settings }: ExplainDeps, { method, target }: CallQuestion): string {
  const read = canonicalTarget(target)
  const plan = read.ok ? gate.routes().find(read.path)?.plans.get(method) : undefined
  return plan?.resource ?? settings.catalogue.own.id
}

/** A token that is shown is verified by an authenticator of its own, so that nothing of it stays behind. */
function authenticatorFor(deps: ExplainDeps, simulated: SimulatedToken | undefined): Authenticator {
  const { settings, keyring, view, now } = deps
  const { leewaySeconds } = settings.tokens
  if (simulated?.kind === 'granted') return simulatedAuthenticator(simulated.principal, { view, leewaySeconds, now })
  const issuer = settings.server.baseUrl
  const own = createAuthenticator({ keyring, view, now, issuer, leewaySeconds, cacheEntries: 1 })
  return { ...own, revalidate: deps.authenticator.revalidate }
}

function principalIn(verdict: Verdict, simulated: SimulatedToken | undefined): TokenPrincipal | undefined {
  if (simulated?.kind === 'granted') return simulated.principal
  return verdict.kind === 'options' ? undefined : verdict.principal
}

function aboutOf({ caller }: CallQuestion, principal: TokenPrincipal | undefined): About | undefined {
  if (caller.kind !== 'simulated') return principal
  const { registration, tenantId = registration.tenantId, userId } = caller
  const kind = userId === undefined ? 'application' : 'delegated'
  return { kind, applicationId: registration.applicationId, tenantId, userId }
}

function callerOf({ question, principal, about, simulated }: Found, name: string | undefined): Explanation['caller'] {
  const unknown = question.caller.kind === 'token' ? 'unknown' : 'nobody'
  return {
    kind: about?.kind ?? unknown,
    applicationId: about?.applicationId ?? null,
    applicationName: name ?? null,
    tenantId: about?.tenantId ?? null,
    userId: about?.userId ?? null,
    token:
      principal === undefined
        ? null
        : {
            simulated: simulated !== undefined,
            resource: principal.resource,
            permissions: [...principal.permissions],
            issuedAt: new Date(principal.issuedAt * 1000).toISOString(),
            expiresAt: new Date(principal.expiresAt * 1000).toISOString(),
          },
  }
}

function refusalOf({ error, reason }: Extract<SimulatedToken, { kind: 'refused' }>): Explanation['tokenRefusal'] {
  const { code, number, description, consentUri } = error
  return { error: code, number, reason, description, consentUri: consentUri ?? null }
}
