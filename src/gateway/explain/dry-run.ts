// The gate's own decision about a request that nobody sent: the same admission, the same look-up, the same checks in
// the same order by the same functions, with limits that are only looked at and counts that nobody keeps.

import type { Authenticator } from '../../access/authenticate.js'
import type { Settings } from '../../config/settings/settings.js'
import type { ApiError } from '../../http/answers/api-error.js'
import { type RequestHead, refuseAdmission } from '../../http/requests/admission.js'
import { canonicalTarget } from '../../http/requests/canonical-target.js'
import { newEntry, type RequestContext } from '../../http/requests/request-context.js'
import type { PeekingLimiter } from '../../limits/limiter.js'
import type { McpOperation } from '../../mcp/operations.js'
import type { ToolPins } from '../../tool-definitions/tool-definitions.js'
import {
  type AdmitDeps,
  createAdmit,
  isMessage,
  type Passage,
  type PresentedHead,
  refusalWithoutCounters,
  type Verdict,
} from '../admit.js'
import { type Refusal, refusal } from '../errors.js'
import { refusalWithoutRules, type ToolRuleDeps } from '../mcp/demands/tenant-rules.js'
import type { RoutePlan, RouteSnapshot } from '../routes/snapshot.js'
import { refusesNow } from '../upstreams/upstream.js'
import { noMcpServer, operationVerdict } from './operation-verdict.js'

export interface SimulatedRequest {
  method: string
  /** The request target as it would stand on the wire. */
  target: string
  /** Where it would come from; undefined: limits by address are not checked. */
  address: string | undefined
  /** How long its body would be; undefined: none that matters. */
  bodyBytes: number | undefined
  token: string | undefined
  /** Of an MCP server: what its message would ask for; absent: no more than what connecting needs. */
  operation?: McpOperation | undefined
}

export interface DryRunDeps {
  settings: Pick<Settings, 'server'>
  view: AdmitDeps['view']
  directory: AdmitDeps['directory'] & ToolRuleDeps
  consentsOf: AdmitDeps['consentsOf']
  limiter: Pick<PeekingLimiter, 'peek' | 'planOf'>
  toolPins: Pick<ToolPins, 'isChanged'>
}

const connecting: McpOperation = { kind: 'session' }

const uncounted = { denied() {}, passedStale() {}, wouldDeny() {} }

/**
 * What the gate would do, and the facts that it would have found on the way; `plan` is that of the operation of an MCP
 * server. Throws StoreUnavailable.
 */
export async function dryRun(
  deps: DryRunDeps,
  input: { request: SimulatedRequest; routes: RouteSnapshot; authenticator: Authenticator },
): Promise<{ verdict: Verdict; facts: RequestContext; plan?: RoutePlan }> {
  const { request, routes, authenticator } = input
  const { baseUrl, headerBytes, headerCount } = deps.settings.server
  const facts = factsOf(deps, request)
  const head = headOf(request, baseUrl)
  const rules = { listener: 'public', isKnownHost: () => true, headerBytes, headerCount, baseUrl } as const
  const early = refuseAdmission(head, facts, rules)
  if (early !== undefined) return { verdict: admissionRefusal(early, facts), facts }
  const { address } = request
  const admitDeps: AdmitDeps & { directory: ToolRuleDeps } = {
    authenticator,
    view: deps.view,
    directory: deps.directory,
    consentsOf: deps.consentsOf,
    baseUrl,
    // Only how a token of ours would fare.
    externalTokens: undefined,
    counts: uncounted,
    limiter: {
      planOf: deps.limiter.planOf,
      decide: (names, subject, stage, cost) => deps.limiter.peek(names, { ...subject, address }, stage, cost),
    },
  }
  try {
    const admitted = await createAdmit(admitDeps)(head, facts, routes)
    if (admitted.kind !== 'passed') return { verdict: admitted, facts }
    const { mcp } = admitted.plan
    const { operation } = request
    if (mcp === undefined || !isMessage({ raw: head, plan: admitted.plan })) {
      return { verdict: operation === undefined ? withRoom(admitted, facts) : noMcpServer(), facts }
    }
    const message = { facts, passage: admitted, mcp, operation: operation ?? connecting }
    const { verdict, plan } = await operationVerdict(admitDeps, deps.toolPins, message)
    return { verdict: verdict.kind === 'passed' ? withRoom(verdict, facts) : verdict, facts, plan }
  } catch (error) {
    const known = refusalWithoutCounters(error) ?? refusalWithoutRules(error)
    if (known === undefined) throw error
    return { verdict: known, facts }
  }
}

/** Whether the service could take it now. */
function withRoom(passage: Passage, { address }: RequestContext): Verdict {
  const { plan, principal } = passage
  const reason = refusesNow(plan.upstream, plan.room, () => ({ principal, address }))
  return reason === undefined ? passage : refusal(reason)
}

function admissionRefusal(error: ApiError, { target }: RequestContext): Refusal {
  const reason = target.ok ? error.code.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase() : target.reason
  return { kind: 'refused', reason, error }
}

/** The bundled service asks for a length; a question without one is taken to send an empty body. */
function headOf({ method, token, bodyBytes }: SimulatedRequest, baseUrl: string): PresentedHead & RequestHead {
  const { host } = new URL(baseUrl)
  const length = bodyBytes ?? (method === 'GET' || method === 'HEAD' ? undefined : 0)
  const headers: Record<string, string> = { host }
  if (length !== undefined) headers['content-length'] = String(length)
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  return {
    method,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    socket: {},
  }
}

function factsOf({ settings }: DryRunDeps, { target, address = '' }: SimulatedRequest): RequestContext {
  const isTooLong = target.length > settings.server.urlBytes
  return {
    requestId: '',
    clientRequestId: undefined,
    startedAt: 0,
    address,
    secure: true,
    target: isTooLong ? { ok: false, reason: 'target_too_long' } : canonicalTarget(target),
    describedMethod: undefined,
    trace: undefined,
    entry: { ...newEntry('gate'), apiHost: settings.server.apiHosts[0] },
  }
}
