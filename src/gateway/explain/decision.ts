// The decision of an explanation: the gate's verdict in the words that log, metric and answer use, and what of the
// configuration it came from.

import type { SimulatedToken } from '../../access/simulated-caller.js'
import { reservedPathWithin } from '../../config/routes/reserved-paths.js'
import type { LimitPolicy } from '../../config/settings/limit-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import type { ApiError } from '../../http/answers/api-error.js'
import type { Refusal } from '../errors.js'
import type { RoutePlan } from '../routes/snapshot.js'
import type { Explanation } from './explanation.js'
import type { Found } from './question.js'

type Decision = Explanation['decision']

interface Table {
  plan: RoutePlan | undefined
  limits: Explanation['limits']
}

/** `consentUri` is where an administrator consents to what is missing. */
export function explainDecision(
  settings: Settings,
  found: Found,
  table: Table,
): { decision: Decision; decidedBy: Explanation['decidedBy']; consentUri: string | undefined } {
  const { verdict, simulated, path } = found
  const own = path === undefined ? undefined : reservedPathWithin(path)
  if (own !== undefined) return { decision: ownDecision(own), decidedBy: null, consentUri: undefined }
  if (verdict.kind === 'options')
    return { decision: optionsDecision(verdict.allow), decidedBy: null, consentUri: undefined }
  if (verdict.kind === 'passed') {
    const { plan, wouldDeny } = verdict
    const reason = plan.requirement === 'public' ? 'public' : 'granted'
    const decision = allowed(wouldDeny === undefined ? reason : `would_deny_${wouldDeny}`, plan.upstream.name)
    const isConnecting = plan.mcp !== undefined && found.question.operation === undefined && reason === 'granted'
    return {
      decision: isConnecting ? { ...decision, message: `${decision.message} ${connectingOnly}` } : decision,
      decidedBy: routeLine(plan),
      consentUri: undefined,
    }
  }
  // Without a token there is no call; what stands between is what the token endpoint says.
  if (verdict.reason === 'no_token' && simulated?.kind === 'refused') {
    return { decision: noToken(simulated), decidedBy: routeLine(table.plan), consentUri: undefined }
  }
  const uri = verdict.error.extras.more?.['consent_uri']
  const consentUri = typeof uri === 'string' ? uri : undefined
  return { decision: refused(verdict), decidedBy: lineOf(settings, verdict, table), consentUri }
}

const nothing = { status: null, code: null, challenge: null, retryAfterSeconds: null, permission: null }

function ownDecision(reserved: string): Decision {
  const message = `Portcullis answers below ${reserved} itself; no route of the configuration decides there.`
  return { ...nothing, outcome: 'own', by: 'portcullis', reason: 'own_address', message }
}

function optionsDecision(allow: string): Decision {
  const message = `OPTIONS is answered without a token: ${allow}.`
  return { ...nothing, outcome: 'allowed', by: 'gate', reason: 'options', status: 204, message }
}

const connectingOnly =
  'That is about connecting and lists; name a tool, prompt or resource to see what a call of it needs.'

const openings: Readonly<Record<string, string>> = {
  public: 'The route is public',
  granted: 'The caller may make this call',
  would_deny_no_token: 'The route only watches (shadow: true): without that it would ask for a token',
  would_deny_other_tenant: 'The route only watches (shadow: true): without that it would be nothing for this tenant',
  would_deny_other_application:
    'The route only watches (shadow: true): without that it would be for other applications',
  would_deny_insufficient_scope:
    'The route only watches (shadow: true): without that the token would lack a permission',
}

function allowed(reason: string, upstream: string): Decision {
  const message = `${openings[reason] ?? openings['granted']}; it goes to ${upstream}.`
  return { ...nothing, outcome: 'allowed', by: 'upstream', reason, message }
}

function noToken({ error, reason }: Extract<SimulatedToken, { kind: 'refused' }>): Decision {
  const { status, code, description: message, retryAfterSeconds = null } = error
  return { ...nothing, outcome: 'refused', by: 'token', reason, status, code, message, retryAfterSeconds }
}

function refused({ reason, error, missing }: Refusal): Decision {
  const headers = new Map(
    Object.entries(error.extras.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const retryAfter = headers.get('retry-after')
  return {
    outcome: 'refused',
    by: 'gate',
    reason,
    status: error.status,
    code: error.code,
    message: error.message,
    challenge: headers.get('www-authenticate') ?? null,
    retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
    permission: missing === undefined ? null : { ...missing, status: statusIn(error) },
  }
}

function statusIn({ extras }: ApiError): string | null {
  const permission = extras.more?.['permission'] as { status?: string } | undefined
  return permission?.status ?? null
}

function lineOf(settings: Settings, { reason }: Refusal, { plan, limits }: Table): Explanation['decidedBy'] {
  if (plan === undefined) return null
  const spent = limits.find(({ allows }) => !allows)
  const policy = reason === 'rate_limited' && spent !== undefined ? policyOf(settings, spent) : undefined
  if (policy?.position !== undefined) return { what: 'limit', name: policy.name, ...policy.position }
  const { settings: upstream } = plan.upstream
  if (reason === 'upstream_overloaded' || reason === 'upstream_down')
    return { what: 'upstream', name: upstream.name, ...upstream.position }
  return routeLine(plan)
}

function policyOf({ plans, limits }: Settings, { name, plan }: Explanation['limits'][number]): LimitPolicy | undefined {
  return plan === null ? limits.get(name) : (plans.get(plan)?.limits.get(name)?.policy ?? limits.get(name))
}

function routeLine(plan: RoutePlan | undefined): Explanation['decidedBy'] {
  if (plan === undefined) return null
  return { what: 'route', name: plan.id, ...plan.route.position }
}
