// What is answered to a message that goes no further: an error of JSON-RPC 2.0 §5.1 with the id of its request, so that
// a client finds the call that it belongs to.

/** Of JSON-RPC 2.0 §5.1, and those that MCP 2026-07-28 adds. */
export const rpcCodes = {
  /** Ours, for a permission that is missing or what a rule demands; below zero are those of the specification. */
  refusedHere: 403,
  /** What servers of sessions say; clients go by the status. */
  sessionNotFound: -32_001,
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
  /** Of MCP 2025-11-25, client/elicitation. */
  urlElicitationRequired: -32_042,
} as const

export type RpcId = string | number

/** A message that is refused, with what its sender hears. */
export interface RpcProblem {
  /** HTTP status. */
  status: number
  code: number
  /** Safe to send: what was wrong and what to do. */
  message: string
  data?: unknown
}

/** The body. `id` is null while it is not known (JSON-RPC 2.0 §5). */
export function rpcError({ code, message, data }: Omit<RpcProblem, 'status'>, id: RpcId | null): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } })
}
