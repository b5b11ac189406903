// What the gate would decide about an operation of an MCP server: the same look-up and the same permissions as for its
// message (mcp/judge.ts), with limits that are only looked at.

import { decide } from '../../access/decide.js'
import type { TokenPrincipal } from '../../access/principal.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { RequestContext } from '../../http/requests/request-context.js'
import { allowedFields } from '../../limits/headers.js'
import type { McpOperation } from '../../mcp/operations.js'
import { eraOf } from '../../mcp/versions.js'
import type { ToolPins } from '../../tool-definitions/tool-definitions.js'
import type { AdmitDeps, Passage, Verdict } from '../admit.js'
import { describedInTime } from '../caller.js'
import { chargeCaller } from '../caller-limits.js'
import type { Refusal } from '../errors.js'
import { tooManyRequests } from '../limit-refusals.js'
import { ruleOf } from '../mcp/demands/rules.js'
import { type ToolRuleDeps, tenantRulesOf } from '../mcp/demands/tenant-rules.js'
import { openedBy } from '../mcp/opened.js'
import { type McpPlan, plansOf } from '../mcp/plan.js'
import { unmetDemand } from '../mcp/refusals.js'
import type { RoutePlan } from '../routes/snapshot.js'

interface Question {
  facts: RequestContext
  /** Of the request that would carry the message. */
  passage: Passage
  mcp: McpPlan<RoutePlan>
  operation: McpOperation
}

/** The verdict, and the plan that it is by. Rejects with CountersUnavailable. */
export async function operationVerdict(
  deps: AdmitDeps & { directory: ToolRuleDeps },
  pins: Pick<ToolPins, 'isChanged'>,
  { facts, passage, mcp, operation }: Question,
): Promise<{ verdict: Verdict; plan: RoutePlan }> {
  const { principal } = passage
  const plans = plansOf(mcp, operation)
  const plan = decidingPlan(mcp, plans, principal)
  const era = [...mcp.versions].some((version) => eraOf(version) === 'modern') ? 'modern' : 'legacy'
  const judge = {
    baseUrl: deps.baseUrl,
    counts: deps.counts,
    usage: { refused() {} },
    pins,
    describe: (who: TokenPrincipal, missing: Parameters<typeof describedInTime>[2]) =>
      describedInTime(deps, who, missing),
  }
  const said = await tenantRulesOf(deps.directory, principal)
  const opened = await openedBy(judge, { facts, passage }, { operation, id: null, era, plans, said }, mcp)
  if ('kind' in opened) return { verdict: opened, plan }
  if (ruleOf({ plan: opened.plan, said }).has('approval')) {
    return { verdict: { ...unmetDemand('approval', null), principal }, plan: opened.plan }
  }
  const charged = await chargeCaller(deps.limiter, { facts, plan: opened.plan, principal })
  if (!charged.allowed) return { verdict: { ...tooManyRequests(charged), principal }, plan }
  const { permissions, wouldDeny } = opened
  const limitFields = charged.policies.length > 0 ? allowedFields(charged) : passage.limitFields
  return { verdict: { ...passage, plan: opened.plan, permissions, wouldDeny, limitFields }, plan }
}

/** A question about a tool, prompt or resource of what has none. */
export function noMcpServer(): Refusal {
  const message = 'The route leads to no MCP server: ask about the call without a tool, prompt or resource.'
  return { kind: 'refused', reason: 'no_mcp_server', error: new ApiError(400, 'NoMcpServer', message) }
}

/** Of several that all have to let a caller pass, the first that does not. */
function decidingPlan(
  mcp: McpPlan<RoutePlan>,
  plans: readonly RoutePlan[] | undefined,
  principal: TokenPrincipal | undefined,
): RoutePlan {
  const lacking = plans?.find(
    ({ requirement, shadow }) =>
      principal !== undefined && requirement !== 'public' && !shadow && !decide(principal, requirement).allowed,
  )
  return lacking ?? plans?.[0] ?? mcp.first
}
