// What an operation is called in metrics, the log and traces: the method with the configured name that it is about. What
// a client made up is `_other`, so labels are as many as the configuration has names.

import type { McpMessage } from '../../mcp/message.js'
import type { McpOperation } from '../../mcp/operations.js'

/** Stands for every name that nobody configured. */
export const otherOperation = '_other'

/**
 * Such as `tools/call:close_ticket`, `tools/list`, or `tools/call:_other`. `configured` is the name of the operation
 * that was found; undefined: none was.
 */
export function operationLabel(message: McpMessage, operation: McpOperation, configured: string | undefined): string {
  if (message.kind === 'answer') return 'answer'
  if (operation.kind === 'session' || operation.kind === 'list') return message.method
  const { length } = message.method
  // Without a text made of the two, for each call.
  if (configured?.[length] === ':' && configured.startsWith(message.method)) return configured
  const name = configured?.slice(configured.indexOf(':') + 1) ?? otherOperation
  return `${message.method}:${name}`
}
