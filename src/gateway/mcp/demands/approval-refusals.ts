// What a client hears of a call that is not approved, or not yet, in the words of its revision. Status 200 throughout:
// clients read an error of JSON-RPC there, and of another status they only show the text. The same refusal has the
// same bytes.

import { ApiError } from '../../../http/answers/api-error.js'
import { type RpcId, rpcCodes } from '../../../mcp/json-rpc.js'
import type { Refusal } from '../../errors.js'
import { rpcRefusal } from '../refusals.js'

/**
 * How the address reaches the person: a request for input in the result (MCP 2026-07-28, client/elicitation), the error
 * that says an elicitation is required (2025-11-25, client/elicitation), or the text of a plain error.
 */
export type ApprovalWay = 'input' | 'url-error' | 'text'

/** Names our request for input. No server has such a key: it could take the answer for one to itself. */
export const approvalKey = 'portcullis/approval'

export interface Awaited {
  /** Where the person decides. */
  uri: string
  approvalId: string
  tool: string
  way: ApprovalWay
  id: RpcId | null
}

/** It waits for the person. */
export function awaitedApproval({ uri, approvalId, tool, way, id }: Awaited): Refusal {
  const needed = `The call of ${tool} has to be approved by the person for whom it is made.`
  const message = `${needed} They do so at ${uri}, and then the same call is sent again.`
  if (way === 'text') {
    return refused('mcp_approval', { code: rpcCodes.refusedHere, message, data: { approval_uri: uri } }, id)
  }
  const elicitation = { mode: 'url', url: uri, message: `${needed} The page shows what it would do.` }
  if (way === 'url-error') {
    const elicitations = [{ ...elicitation, elicitationId: approvalId }]
    const data = { elicitations, approval_uri: uri }
    return refused('mcp_approval', { code: rpcCodes.urlElicitationRequired, message, data }, id)
  }
  const inputRequests = { [approvalKey]: { method: 'elicitation/create', params: elicitation } }
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'input_required', inputRequests } })
  const plain = refused('mcp_approval', { code: rpcCodes.refusedHere, message }, id)
  return plain.instead === undefined ? plain : { ...plain, instead: { ...plain.instead, body } }
}

const reasons = {
  nobody:
    'Each call of this tool has to be approved by the person for whom it is made, and this one is made for nobody who could.',
  refused: 'The person refused this call.',
  full: 'Too many calls wait for approval already; send this one again when some of them are decided or have expired.',
  'too-long': 'The arguments of this call are longer than a person can be shown for approval; send fewer.',
  ambiguous:
    'The arguments of this call have a number that programs read differently, or names that differ in case alone, so nobody could say what would be approved. Send large numbers as text.',
  withdrawn: 'What this application was allowed has been withdrawn.',
} as const

/** Nobody can look it up now. Nothing was used up. */
export function approvalsDown(id: RpcId | null): Refusal {
  const message = 'Approvals cannot be looked up at the moment; send the call again.'
  const problem = { status: 503, code: rpcCodes.internalError, message }
  return { ...rpcRefusal('mcp_approval_unavailable', problem, id), error: new ApiError(503, 'McpApproval', message) }
}

/** It cannot be approved, or was refused. */
export function noApproval(why: keyof typeof reasons, id: RpcId | null): Refusal {
  return refused(`mcp_approval_${why.replace('-', '_')}`, { code: rpcCodes.refusedHere, message: reasons[why] }, id)
}

function refused(
  reason: string,
  problem: { code: number; message: string; data?: Readonly<Record<string, unknown>> },
  id: RpcId | null,
): Refusal {
  return {
    ...rpcRefusal(reason, { status: 200, ...problem }, id),
    error: new ApiError(403, 'McpApproval', problem.message),
  }
}
