// W3C Trace Context: which trace a request belongs to. A caller's own is kept; a request without one begins a trace
// that is named by its request-id, so that a log line and a trace find each other.

import type { IncomingMessage } from 'node:http'

/** W3C Trace Context §3.2: version 00, no identifier of zeros only. */
const valid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether it can be passed on as it is. */
export function isTraceparent(value: string): boolean {
  return valid.test(value)
}

/**
 * The traceparent of a request that came without a usable one; `requestId` is a GUID. Not sampled: that is not ours to
 * say.
 */
export function newTraceparent(requestId: string): string {
  const head = `${requestId.slice(0, 8)}${requestId.slice(9, 13)}${requestId.slice(14, 18)}`
  const end = `${requestId.slice(19, 23)}${requestId.slice(24)}`
  return `00-${head}${end}-${end}-00`
}

/** 32 hexadecimal digits. Two traceparents are no trace: Node joins them with a comma, and that is not valid. */
export function traceIdOf({ headers }: Pick<IncomingMessage, 'headers'>, requestId: string): string {
  const given = headers['traceparent']
  return typeof given === 'string' && valid.test(given) ? given.slice(3, 35) : withoutHyphens(requestId)
}

function withoutHyphens(guid: string): string {
  return `${guid.slice(0, 8)}${guid.slice(9, 13)}${guid.slice(14, 18)}${guid.slice(19, 23)}${guid.slice(24)}`
}
