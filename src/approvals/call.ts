// One call of a tool that a person has to approve: what it says, whose it is, and by what it is found again.
// Only the very same call is the same: another argument, person, agent, grant, tenant, route or address makes another one.

import { createHash, createHmac } from 'node:crypto'

/** What a person approves. */
export interface CallText {
  /** Audience of the route: whose tool it is. */
  resource: string
  tool: string
  /** In the one canonical form (RFC 8785 §3.2). */
  arguments: string
  /** Path and query as they came, where they are not those of the route alone: servers read what to act on from both. */
  target?: string | undefined
}

/** A call, and whose it is. */
export interface ApprovableCall extends CallText {
  /** Of the operation, such as `/desk/mcp tools/call:close_ticket`. */
  operation: string
  tenantId: string
  applicationId: string
  userId: string
  grantId: string
}

/** UTF-8 bytes of arguments and target: what is longer nobody reads, and so nobody can approve. */
const mostShownBytes = 16_384

/** By what a call is found again: hex HMAC-SHA-256, because arguments can be guessed. */
export function callKey(key: Uint8Array, call: ApprovableCall): string {
  const { operation, tenantId, applicationId, userId, grantId, resource, tool, target } = call
  const parts = [operation, tenantId, applicationId, userId, grantId, resource, tool, call.arguments]
  if (target !== undefined) parts.push(target)
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex')
}

/** Whether a person can read all that they would approve. */
export function isReadable({ arguments: given, target = '' }: CallText): boolean {
  return Buffer.byteLength(given) + target.length <= mostShownBytes
}

/** For the ledger: what the audit line of a call says of its arguments too. */
export function argumentsDigest({ arguments: given }: Pick<CallText, 'arguments'>): string {
  return createHash('sha256').update(given).digest('base64url')
}
