// A request to an MCP server by a caller who may connect: which operation its message asks for, whether the caller may,
// and then the very bytes go on that came. Reads top to bottom; what is wrong before the body is refused before a byte
// of it is read.

import type { MissingPermission } from '../../access/missing-permission.js'
import type { TokenPrincipal } from '../../access/principal.js'
import type { Usage } from '../../access/usage.js'
import type { PermissionRef } from '../../directory/records.js'
import { allowedFields } from '../../limits/headers.js'
import type { LimitDecision, Limiter } from '../../limits/limiter.js'
import type { McpFields } from '../../mcp/header-fields.js'
import type { ToolPins } from '../../tool-definitions/tool-definitions.js'
import { refusalWithoutCounters } from '../admit.js'
import type { DecisionCounts } from '../caller.js'
import { chargeCaller } from '../caller-limits.js'
import { type Refusal, refusal } from '../errors.js'
import type { Exchange } from '../forward/exchange.js'
import { failHeldBody, type HeldBodyDeps, readHeldBody } from '../forward/held-body.js'
import type { RawFields } from '../forward/upstream-events.js'
import { mostWholeBytes } from '../forward/whole-body.js'
import { tooManyRequests } from '../limit-refusals.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { type ApprovalDeps, approvalOf } from './demands/approval.js'
import { ruleOf } from './demands/rules.js'
import { refusalWithoutRules, type ToolRuleDeps, tenantRulesOf } from './demands/tenant-rules.js'
import { mcpFieldsOf, mcpFieldsOfSession } from './forwarded-fields.js'
import { checkMcpHead } from './head.js'
import { hasShownList, listRewrite, readsStream, resumedRewrite } from './list-views.js'
import { type Opened, openedBy } from './opened.js'
import type { McpPlan } from './plan.js'
import { rpcRefusal } from './refusals.js'
import { type Requested, readRequested } from './requested.js'
import { openedSession, sealedFields, withoutSession } from './session-fields.js'
import type { SessionSeal } from './session-seal.js'
import type { McpWatch } from './watch.js'

export interface McpDeps extends HeldBodyDeps, ApprovalDeps {
  /** For a whole body. */
  bodyIdleMs: number
  limiter: Limiter
  usage: Pick<Usage, 'allowed' | 'refused'>
  sessions: SessionSeal
  pins: ToolPins
  counts: Pick<DecisionCounts, 'denied' | 'wouldDeny'>
  /** How far a missing permission got on its way into a token. */
  describe(principal: TokenPrincipal, missing: PermissionRef): Promise<MissingPermission | undefined>
  /** What tenants say of tools. */
  toolRules: ToolRuleDeps
  /** Hears of each message that can be read. */
  read: McpWatch['read']
  /** Hears of items of a list that were not shown. */
  hidden: McpWatch['hidden']
  /** With its body, where it was read. */
  goOn(exchange: Exchange, body: Buffer | undefined): void
}

/** Goes on or refuses; throws nothing. */
export function judgeMcp(deps: McpDeps, exchange: Exchange, mcp: McpPlan<RoutePlan>): void {
  const { request, passage } = exchange
  const { plan } = passage
  const rules = { versions: mcp.versions, crossOrigin: plan.crossOrigin, baseUrl: deps.baseUrl }
  const fields = checkMcpHead(request, rules)
  if ('kind' in fields) return void deps.refuse(exchange, fields)
  if (request.method !== 'POST') {
    const session = sessionOf(deps, exchange)
    if ('kind' in session) return void deps.refuse(exchange, session)
    const isRead = readsStream(request, mcp)
    exchange.passage = { ...passage, instead: mcpFieldsOfSession(fields, { sessionId: session.id, isRead }) }
    exchange.rewrite = { fields: session.answered }
    if (!isRead) return void deps.goOn(exchange, undefined)
    resumedRewrite(deps, exchange, mcp).then(
      (body) => {
        exchange.rewrite = { fields: session.answered, body }
        deps.goOn(exchange, undefined)
      },
      (error: unknown) => refuseFor(deps, exchange, error),
    )
    return
  }
  const limitBytes = Math.min(plan.bodyBytes, mostWholeBytes)
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    return void deps.refuse(exchange, refusal('body_too_large'))
  }
  readHeldBody(deps, exchange, { limitBytes, idleMs: deps.bodyIdleMs }, (body = Buffer.alloc(0)) => {
    verdictOf(deps, exchange, { mcp, fields, body }).then(
      (verdict) => {
        if (verdict.kind === 'refused') deps.refuse(exchange, verdict)
        else deps.goOn(exchange, body)
      },
      (error: unknown) => refuseFor(deps, exchange, error),
    )
  })
}

/** For what is not known at the moment, or a bug. */
function refuseFor(deps: McpDeps, exchange: Exchange, error: unknown): void {
  const known = refusalWithoutCounters(error) ?? refusalWithoutRules(error)
  if (known === undefined) failHeldBody(deps, exchange, error)
  else deps.refuse(exchange, known)
}

/** What is decided about a message; the exchange has it when it may go on. Rejects with CountersUnavailable, what refusalWithoutRules knows, or what is a bug. */
async function verdictOf(
  deps: McpDeps,
  exchange: Exchange,
  { mcp, fields, body: bytes }: { mcp: McpPlan<RoutePlan>; fields: McpFields; body: Buffer },
): Promise<{ kind: 'passed' } | Refusal> {
  const { facts, passage } = exchange
  const requested = readRequested(bytes, fields, mcp.versions)
  if ('kind' in requested) return (await limitFieldsOf(deps, exchange, passage.plan)).refused ?? requested
  deps.read(exchange, { requested, mcp, bytes: bytes.length })
  // Where there are no sessions, an id of one means nothing, and the server is not told.
  const session = requested.era === 'legacy' ? sessionOf(deps, exchange, requested.id) : noSession
  if ('kind' in session) return session
  // Nothing is waited for that is there already: a turn of the queue costs as much as a decision.
  const saying = requested.operation.kind === 'tool' ? tenantRulesOf(deps.toolRules, passage.principal) : undefined
  const said = saying instanceof Promise ? await saying : saying
  const opening = openedBy(deps, exchange, { ...requested, said }, mcp)
  const opened = opening instanceof Promise ? await opening : opening
  if ('kind' in opened) return opened
  const { permissions, wouldDeny } = opened
  const demands = ruleOf({ plan: opened.plan, said })
  const charging = limitFieldsOf(deps, exchange, opened.plan)
  const charged = charging instanceof Promise ? await charging : charging
  if (charged.refused !== undefined) return charged.refused
  const unapproved = demands.has('approval')
    ? await approvalOf(deps, exchange, { requested, bytes }, opened.plan)
    : undefined
  if (unapproved !== undefined) return unapproved
  count(deps, exchange, opened)
  const isListening = requested.message.kind === 'request' && requested.message.method === 'subscriptions/listen'
  const plan = isListening ? mcp.listening(opened.plan) : opened.plan
  if (wouldDeny !== undefined) facts.entry.reason = `would_deny_${wouldDeny}`
  // Member by member, in the order of admit.ts: a spread costs several times as much, and objects of two shapes cost
  // all who read them.
  exchange.passage = {
    kind: 'passed',
    plan,
    principal: passage.principal,
    permissions,
    wouldDeny,
    limitFields: charged.fields.length > 0 ? charged.fields : passage.limitFields,
    withBody: passage.withBody,
    concurrent: passage.concurrent,
    instead: mcpFieldsOf(requested, fields, session.id),
    operations: opened.plans,
  }
  const body = hasShownList(requested)
    ? await listRewrite(deps, exchange, requested, mcp)
    : isListening && mcp.pins === 'hold'
      ? await resumedRewrite(deps, exchange, mcp)
      : undefined
  exchange.rewrite = { fields: session.answered, body }
  return { kind: 'passed' }
}

/** The session of a request, and how the fields of its answer tell of it. */
interface Session {
  id: string | undefined
  answered(fields: RawFields): RawFields
}

function sessionOf(
  { sessions }: McpDeps,
  { request, passage }: Exchange,
  id: Requested['id'] = null,
): Session | Refusal {
  const owner = { route: passage.plan.route.id, principal: passage.principal }
  const opened = openedSession(request.rawHeaders, sessions, owner)
  if ('problem' in opened) return rpcRefusal('mcp_session', opened.problem, id)
  return { id: opened.id, answered: (fields) => sealedFields(fields, sessions, owner) }
}

const noSession: Session = { id: undefined, answered: withoutSession }

type Charged = { refused?: Refusal; fields: readonly string[] }

function limitFieldsOf(deps: McpDeps, exchange: Exchange, plan: RoutePlan): Charged | Promise<Charged> {
  const { facts, passage } = exchange
  const decision = chargeCaller(deps.limiter, { facts, plan, principal: passage.principal })
  if (decision instanceof Promise) return decision.then((late) => chargedBy(deps, passage, plan, late))
  return chargedBy(deps, passage, plan, decision)
}

function chargedBy({ usage }: McpDeps, { principal }: Exchange['passage'], plan: RoutePlan, decision: LimitDecision) {
  if (decision.allowed) return { fields: allowedFields(decision) }
  if (principal !== undefined) usage.refused(principal, plan.id, 429)
  return { refused: { ...tooManyRequests(decision), principal }, fields: [] }
}

function count({ usage }: McpDeps, { facts, passage }: Exchange, { plan, counted, wouldDeny }: Opened): void {
  if (passage.principal !== undefined) facts.entry.call = usage.allowed(passage.principal, plan, counted)
  if (wouldDeny === undefined) plan.countGranted()
}
