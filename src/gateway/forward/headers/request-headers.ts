// The header fields of a forwarded request, made anew from the raw ones: nothing that speaks of a connection, nothing
// that a client could say in the gate's name, and then what the gate itself says.

import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../../../http/requests/request-context.js'
import { isTraceparent, newTraceparent } from '../../../http/requests/trace-context.js'
import { requestDisposition } from './header-names.js'

/** Names in lower case. */
export interface CrossingFields {
  has(lower: string): boolean
}

export interface GateHeaders {
  /** host[:port] of the base URL. */
  publicHost: string
  /** The whole Authorization value; undefined sends none. */
  authorization: string | undefined
  /** Flat name, value list that says who calls, for upstreams that read fields. */
  identity?: readonly string[] | undefined
  /** Which of the client's fields that may cross do; undefined: all. */
  fields?: CrossingFields | undefined
  /** What stands for some of the client's fields; undefined: nothing. */
  instead?: { drops(name: string): boolean; fields: readonly string[] } | undefined
  /** Whether a body follows; only then does its length cross. */
  withBody: boolean
}

/** Flat name, value list for the upstream. Throws nothing: what is not understood is left out. */
export function requestHeaders(request: IncomingMessage, facts: RequestContext, gate: GateHeaders): string[] {
  const { rawHeaders } = request
  const named = connectionTokens(request.headers.connection)
  const out: string[] = []
  let traceparent: string | undefined
  let traces = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const value = rawHeaders[i + 1] ?? ''
    const disposition = requestDisposition(name)
    if (disposition === 'pass') {
      if (crosses(name, named, gate.fields) && gate.instead?.drops(name) !== true) out.push(name, value)
    } else if (disposition === 'trace') {
      traces++
      traceparent = value
    } else if (disposition !== 'drop') passSpecial(out, disposition, value, { named, gate })
  }
  const trusted = traces === 1 && traceparent !== undefined && isTraceparent(traceparent)
  pushOwn(out, facts, facts.trace?.traceparent ?? (trusted ? traceparent : undefined), gate)
  return out
}

/**
 * The client's fields without those that it takes out itself, by naming them in Connection, or that the route's list
 * leaves out: what is decided by a field has to be told to the upstream too. By name in lower case.
 */
export function crossingFields(
  { headers, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  fields: CrossingFields | undefined,
): IncomingMessage['headersDistinct'] {
  const named = connectionTokens(headers.connection)
  if (named === undefined && fields === undefined) return headersDistinct
  const crossing: IncomingMessage['headersDistinct'] = Object.create(null)
  for (const [name, values] of Object.entries(headersDistinct)) {
    // Others are made by the gate anew, or never cross.
    if (requestDisposition(name) !== 'pass' || crosses(name, named, fields)) crossing[name] = values
  }
  return crossing
}

/** Neither about this connection only, nor left out of the route's list. */
function crosses(name: string, named: ReadonlySet<string> | undefined, fields: CrossingFields | undefined): boolean {
  if (named === undefined && fields === undefined) return true
  const lower = name.toLowerCase()
  return named?.has(lower) !== true && (fields === undefined || fields.has(lower))
}

function passSpecial(
  out: string[],
  disposition: 'connection' | 'cookie' | 'te' | 'content-length',
  value: string,
  { named, gate }: { named: ReadonlySet<string> | undefined; gate: GateHeaders },
): void {
  if (disposition === 'content-length' && gate.withBody) out.push('content-length', value)
  else if (disposition === 'te' && /(?:^|,)\s*trailers\s*(?:,|$)/i.test(value)) out.push('te', 'trailers')
  else if (disposition === 'cookie' && crosses('cookie', named, gate.fields)) {
    const kept = otherCookies(value)
    if (kept !== '') out.push('cookie', kept)
  }
}

/** Names that the client declared to be about this connection (RFC 9110 §7.6.1); undefined when there are none. */
function connectionTokens(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return new Set(connection.split(',').map((token) => token.trim().toLowerCase()))
}

/** Cookies of this origin itself begin with `__Host-` (contract §1) and are nobody else's business. */
function otherCookies(value: string): string {
  if (!/__ho/i.test(value)) return value
  return value
    .split(';')
    .filter((pair) => !/^\s*__host-/i.test(pair))
    .join(';')
    .trim()
}

function pushOwn(out: string[], facts: RequestContext, traceparent: string | undefined, gate: GateHeaders): void {
  const { requestId, address } = facts
  const quoted = address.includes(':') ? `"[${address}]"` : address
  out.push(
    'request-id',
    requestId,
    'traceparent',
    traceparent ?? newTraceparent(requestId),
    'x-forwarded-for',
    address,
    'x-forwarded-proto',
    'https',
    'x-forwarded-host',
    gate.publicHost,
    'forwarded',
    `for=${quoted};host="${gate.publicHost}";proto=https`,
    'via',
    '1.1 gate',
  )
  if (gate.authorization !== undefined) out.push('authorization', gate.authorization)
  if (gate.identity !== undefined) out.push(...gate.identity)
  if (gate.instead !== undefined) out.push(...gate.instead.fields)
}
