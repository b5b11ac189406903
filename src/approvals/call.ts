// One call of a tool that a person has to approve: what it says, whose it is, and the two things that are kept of it.
// Only the very same call is the same: another argument, person, agent, grant, tenant or route makes another one.

import { createHash, createHmac } from 'node:crypto'
import { seal, unseal } from '../oauth/secrets/sealed-text.js'

/** What a person approves. */
export interface CallText {
  /** Audience of the route: whose tool it is. */
  resource: string
  tool: string
  /** In the one canonical form (RFC 8785 §3.2). */
  arguments: string
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

/** UTF-8 bytes of arguments: what is longer nobody reads, and so nobody can approve. */
export const mostArgumentBytes = 16_384

/** By what a call is found again: hex HMAC-SHA-256, because arguments can be guessed. */
export function callKey(key: Uint8Array, call: ApprovableCall): string {
  const { operation, tenantId, applicationId, userId, grantId, resource, tool } = call
  const parts = [operation, tenantId, applicationId, userId, grantId, resource, tool, call.arguments]
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex')
}

/** For the ledger: what the audit line of a call says of its arguments too. */
export function argumentsDigest({ arguments: given }: Pick<CallText, 'arguments'>): string {
  return createHash('sha256').update(given).digest('base64url')
}

/** What the person is shown, for the request with this id alone. Throws Error when there is no key. */
export function sealCall(
  keys: readonly Uint8Array[],
  id: string,
  { resource, tool, arguments: given }: CallText,
): string {
  return seal(keys, id, JSON.stringify([resource, tool, given]))
}

/** It again; undefined for anything else. */
export function unsealCall(keys: readonly Uint8Array[], id: string, body: string): CallText | undefined {
  const text = unseal(keys, id, body)
  const parts: unknown = text === undefined ? undefined : JSON.parse(text)
  if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string')) return undefined
  const [resource = '', tool = '', given = ''] = parts as string[]
  return { resource, tool, arguments: given }
}
