// Refusals of messages to an MCP server: an error of JSON-RPC with the id of the message, because clients read the body,
// and models show it to people. The same refusal has the same bytes: clients tell a loop by comparing challenges.

import type { MissingPermission } from '../../access/missing-permission.js'
import type { TokenPrincipal } from '../../access/principal.js'
import type { PermissionRef } from '../../directory/records.js'
import { ApiError } from '../../http/answers/api-error.js'
import { type RpcId, type RpcProblem, rpcCodes, rpcError } from '../../mcp/json-rpc.js'
import { missingPermissions } from '../bearer-errors.js'
import type { Refusal } from '../errors.js'

/** A message that is none, or that the revision does not let pass. */
export function rpcRefusal(reason: string, problem: RpcProblem, id: RpcId | null): Refusal {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return {
    kind: 'refused',
    reason,
    error: new ApiError(problem.status, 'McpMessage', problem.message, { headers }),
    instead: { status: problem.status, headers, body: rpcError(problem, id) },
  }
}

const kinds = { tool: 'tool', prompt: 'prompt', resources: 'resource' } as const

/** What is not configured, or can be given to nobody, is answered as by a server that does not have it. */
export function unknownName(kind: keyof typeof kinds, names: readonly string[], id: RpcId | null): Refusal {
  const message = `Unknown ${kinds[kind]}: ${names.join(' ').slice(0, 128)}`
  // Which resource it was is said apart (2026-07-28, resources, errors).
  const data = kind === 'resources' && names.length === 1 ? { data: { uri: names[0] } } : {}
  const refused = rpcRefusal('mcp_unknown', { status: 200, code: rpcCodes.invalidParams, message, ...data }, id)
  return { ...refused, error: new ApiError(404, 'McpUnknown', message) }
}

const demands = {
  approval: 'The person for whom this call is made has to approve it first.',
  second_factor: 'This tool needs a person who signed in with a second factor. The token does not act for one.',
  never: 'This tool may not be called: a rule says never.',
} as const

/** What a rule demands of calls of a tool, and cannot be met. */
export function unmetDemand(demand: keyof typeof demands, id: RpcId | null): Refusal {
  const message = demands[demand]
  const refused = rpcRefusal(`mcp_${demand}`, { status: 403, code: rpcCodes.refusedHere, message }, id)
  return { ...refused, error: new ApiError(403, 'McpRule', message) }
}

/** Permissions that are missing: all of them in one challenge, and in the body how each is obtained. */
export function lackingPermissions(
  missing: readonly PermissionRef[],
  facts: {
    principal: TokenPrincipal
    described: MissingPermission | undefined
    baseUrl: string
    id: RpcId | null
    /** Clients of a session ask for what is in the challenge and nothing else, so it has what they hold too. */
    held: readonly string[]
  },
): Refusal {
  const { principal, described, baseUrl, id, held } = facts
  const refused = missingPermissions(missing, { described, baseUrl, held })
  const { message, extras } = refused.error
  const data = { ...extras.more }
  return {
    ...refused,
    principal,
    ...(missing[0] === undefined ? {} : { missing: missing[0] }),
    instead: {
      status: 403,
      headers: { ...extras.headers, 'content-type': 'application/json' },
      body: rpcError({ code: rpcCodes.refusedHere, message, data }, id),
    },
  }
}
