// A call of a tool that its person has to approve: whether they did, or how the client hears where they can. It comes
// last, when nothing but the person is missing, because an approval that is found is used up.

import { type ApprovableCall, isReadable } from '../../../approvals/call.js'
import type { ApprovalAnswer, CallApprovals } from '../../../approvals/call-approvals.js'
import { canonicalJson } from '../../../mcp/canonical-json.js'
import type { McpMessage, Params } from '../../../mcp/message.js'
import { differentlyRead } from '../../../mcp/one-reading.js'
import { StoreUnavailable } from '../../../storage/sql/store.js'
import { type Refusal, refusal } from '../../errors.js'
import { type Exchange, senderOf } from '../../forward/exchange.js'
import type { RoutePlan } from '../../routes/snapshot.js'
import { refusesNow } from '../../upstreams/upstream.js'
import type { Requested } from '../requested.js'
import { type ApprovalWay, approvalKey, approvalsDown, awaitedApproval, noApproval } from './approval-refusals.js'

export interface ApprovalDeps {
  approvals: CallApprovals
  baseUrl: string
}

/** Of a message: escapes spell a character with six, and more than that nobody needs to be shown 16 KiB. */
const mostBytes = 131_072

/** `bytes`: the message as it came. Undefined: it was approved, and that is used up by now. Rejects with what is a bug. */
export async function approvalOf(
  deps: ApprovalDeps,
  exchange: Exchange,
  { requested, bytes }: { requested: Requested; bytes: Buffer },
  plan: RoutePlan,
): Promise<Refusal | undefined> {
  const { passage, facts } = exchange
  // Before anything is made of it: looking at a large message costs more than reading it.
  if (bytes.length > mostBytes) return { ...noApproval('too-long', requested.id), principal: passage.principal }
  const call = callOf(requested.message, exchange, plan)
  if (call === undefined) return noApproval('nobody', requested.id)
  // The person would approve one call, and the server could carry out another.
  if (
    isReadable(call) &&
    requested.message.kind === 'request' &&
    differentlyRead(bytes.toString(), requested.message.params)
  ) {
    return { ...noApproval('ambiguous', requested.id), principal: passage.principal }
  }
  const busy = refusesNow(plan.upstream, plan.room, () => senderOf(exchange))
  if (busy !== undefined) return refusal(busy)
  const { requestId, address } = facts
  const answer = await deps.approvals.request(call, { requestId, address }).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  })
  if (answer === undefined) return approvalsDown(requested.id)
  if (answer.kind === 'used') return undefined
  const refused = refusedBy(deps, answer, call, requested)
  return { ...refused, principal: passage.principal }
}

function refusedBy(
  { baseUrl }: ApprovalDeps,
  answer: Exclude<ApprovalAnswer, { kind: 'used' }>,
  { tool }: ApprovableCall,
  requested: Requested,
): Refusal {
  if (answer.kind !== 'waiting') return noApproval(answer.kind, requested.id)
  const uri = `${baseUrl}/account/approvals/${answer.id}`
  return awaitedApproval({ uri, approvalId: answer.id, tool, way: wayOf(requested), id: requested.id })
}

/** Undefined: it is of no person here who could approve it. */
function callOf(message: McpMessage, { passage, facts }: Exchange, plan: RoutePlan): ApprovableCall | undefined {
  const { principal } = passage
  if (message.kind !== 'request' || principal?.kind !== 'delegated' || principal.issuer !== undefined) return undefined
  const { tenantId, applicationId, userId, grantId } = principal
  const { resource, id: operation } = plan
  return {
    resource,
    operation,
    tool: String(message.params['name']),
    arguments: canonicalJson(saidIn(message.params)),
    tenantId,
    applicationId,
    userId,
    grantId,
    target: targetOf(facts, plan),
  }
}

/** Of one route many addresses may be, and of each address many queries; undefined: it is the route's only one. */
function targetOf({ target }: Exchange['facts'], { route }: RoutePlan): string | undefined {
  if (!target.ok) return undefined
  const { path, query } = target
  if (query !== undefined) return `${path}?${query}`
  return path === route.path ? undefined : path
}

/**
 * What is approved: the arguments, and what else stands in params, because it may change what the call does. Arguments
 * that could be taken for both are written like both.
 */
function saidIn(params: Params): unknown {
  const { name: _name, _meta, inputResponses: _responses, arguments: given = {}, ...others } = params
  const responses = responsesForServer(params)
  const more = responses === undefined ? others : { ...others, inputResponses: responses }
  const isPlain = Object.keys(more).length === 0 && memberOf(given, 'arguments') === undefined
  return isPlain ? given : { arguments: given, ...more }
}

/** What the client answers to the server itself; undefined: nothing. What it answers to us says nothing. */
function responsesForServer({ inputResponses }: Params): unknown {
  if (memberOf(inputResponses, approvalKey) === undefined) return inputResponses
  const { [approvalKey]: _ours, ...others } = inputResponses as Record<string, unknown>
  return Object.keys(others).length === 0 ? undefined : others
}

/** What the client can take. Of a session nothing is known but its revision. */
function wayOf({ era, version, message }: Requested): ApprovalWay {
  if (era === 'legacy') return version === '2025-11-25' ? 'url-error' : 'text'
  if (message.kind !== 'request') return 'text'
  const { _meta, inputResponses } = message.params
  const capabilities = memberOf(_meta, 'io.modelcontextprotocol/clientCapabilities')
  // A client that answers before the person has decided would show them the address again and again.
  // One that answers its server would answer us in place of it, which is another call.
  const isAnswered = inputResponses !== undefined || message.params['requestState'] !== undefined
  return !isAnswered && memberOf(memberOf(capabilities, 'elicitation'), 'url') !== undefined ? 'input' : 'text'
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}
