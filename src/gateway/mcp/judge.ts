// A request to an MCP server by a caller who may connect: which operation its message asks for, whether the caller may,
// and then the very bytes go on that came. Reads top to bottom; what is wrong before the body is refused before a byte
// of it is read.

import type { MissingPermission } from '../../access/missing-permission.js'
import type { TokenPrincipal } from '../../access/principal.js'
import type { Usage } from '../../access/usage.js'
import type { PermissionRef } from '../../directory/records.js'
import type { TenantToolRules } from '../../directory/tools/tool-rules.js'
import { allowedFields } from '../../limits/headers.js'
import type { LimitDecision, Limiter } from '../../limits/limiter.js'
import type { McpFields } from '../../mcp/header-fields.js'
import type { ToolPins } from '../../tool-definitions/tool-definitions.js'
import { refusalWithoutCounters } from '../admit.js'
import type { DecisionCounts } from '../caller.js'
import { chargeCaller } from '../caller-limits.js'
import { type Refusal, refusal } from '../errors.js'
import type { BodyRewrite } from '../forward/answer-rewrite.js'
import type { Exchange } from '../forward/exchange.js'
import { failHeldBody, type HeldBodyDeps, holdForBody, readHeldBody } from '../forward/held-body.js'
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
import { type McpPlan, plansOf } from './plan.js'
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
    // It has no body itself: what is held are events of its answer.
    if (holdForBody(deps, exchange, 0) === undefined) return
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
    const goOn = (verdict: Verdict) => {
      if (verdict.kind === 'refused') deps.refuse(exchange, verdict)
      else deps.goOn(exchange, body)
    }
    const fail = (error: unknown) => refuseFor(deps, exchange, error)
    try {
      const verdict = verdictOf(deps, exchange, { mcp, fields, body })
      if (verdict instanceof Promise) verdict.then(goOn, fail)
      else goOn(verdict)
    } catch (error) {
      fail(error)
    }
  })
}

/** For what is not known at the moment, or a bug. */
function refuseFor(deps: McpDeps, exchange: Exchange, error: unknown): void {
  const known = refusalWithoutCounters(error) ?? refusalWithoutRules(error)
  if (known === undefined) failHeldBody(deps, exchange, error)
  else deps.refuse(exchange, known)
}

type Verdict = { kind: 'passed' } | Refusal

/** A message to judge, in parts. */
interface Judged {
  requested: Requested
  /** Undefined: something that it is about is not configured. */
  plans: readonly RoutePlan[] | undefined
  session: Session
  mcp: McpPlan<RoutePlan>
  fields: McpFields
  bytes: Buffer
}

/**
 * What is decided about a message; the exchange has it when it may go on. At once where all is known: a turn of the
 * queue costs as much as a decision. Fails, either way, with CountersUnavailable, what refusalWithoutRules knows, or
 * what is a bug.
 */
function verdictOf(
  deps: McpDeps,
  exchange: Exchange,
  { mcp, fields, body: bytes }: { mcp: McpPlan<RoutePlan>; fields: McpFields; body: Buffer },
): Verdict | Promise<Verdict> {
  const { passage } = exchange
  const requested = readRequested(bytes, fields, mcp.versions)
  if ('kind' in requested) {
    return whenKnown(limitFieldsOf(deps, exchange, passage.plan), ({ refused = requested }) => refused)
  }
  const plans = plansOf(mcp, requested.operation)
  deps.read(exchange, { requested, plans, mcp, bytes: bytes.length })
  // Where there are no sessions, an id of one means nothing, and the server is not told.
  const session = requested.era === 'legacy' ? sessionOf(deps, exchange, requested.id) : noSession
  if ('kind' in session) return session
  const judged = { requested, plans, session, mcp, fields, bytes }
  if (requested.operation.kind !== 'tool') return permittedBy(deps, exchange, judged, undefined)
  return whenKnown(tenantRulesOf(deps.toolRules, passage.principal), (said) =>
    permittedBy(deps, exchange, judged, said),
  )
}

/** By permissions, and then by limits and approval. */
function permittedBy(
  deps: McpDeps,
  exchange: Exchange,
  judged: Judged,
  said: TenantToolRules | undefined,
): Verdict | Promise<Verdict> {
  const { requested, plans, mcp, bytes } = judged
  const { operation, id, era } = requested
  const opened = openedBy(deps, exchange, { operation, id, era, plans, said }, mcp)
  if (opened instanceof Promise || 'kind' in opened) return opened
  const { plan } = opened
  const demands = ruleOf({ plan, said })
  return whenKnown(limitFieldsOf(deps, exchange, plan), (charged) => {
    if (charged.refused !== undefined) return charged.refused
    const pass = () => passed(deps, exchange, judged, { opened, limitFields: charged.fields })
    if (!demands.has('approval')) return pass()
    return approvalOf(deps, exchange, { requested, bytes }, plan).then((unapproved) => unapproved ?? pass())
  })
}

/** Says what goes on, and how its answer is written. */
function passed(
  deps: McpDeps,
  exchange: Exchange,
  { requested, session, mcp, fields }: Judged,
  { opened, limitFields }: { opened: Opened; limitFields: readonly string[] },
): Verdict | Promise<Verdict> {
  const { facts, passage } = exchange
  const { permissions, wouldDeny } = opened
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
    limitFields: limitFields.length > 0 ? limitFields : passage.limitFields,
    withBody: passage.withBody,
    concurrent: passage.concurrent,
    instead: mcpFieldsOf(requested, fields, { sessionId: session.id, isRead: mcp.pins === 'hold' }),
    operations: opened.plans,
  }
  const rewritten = (body: BodyRewrite | undefined): Verdict => {
    exchange.rewrite = { fields: session.answered, body }
    return { kind: 'passed' }
  }
  if (hasShownList(requested)) return listRewrite(deps, exchange, requested, mcp).then(rewritten)
  // Clients take the answer to a list from the stream of any call.
  if (mcp.pins === 'hold') return resumedRewrite(deps, exchange, mcp).then(rewritten)
  return rewritten(undefined)
}

function whenKnown<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
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
