// Which header fields may cross the gate. A name is folded first (letters' case, and all that is no letter or digit),
// because services behind the gate fold them too: to a CGI or WSGI program `X_Forwarded_For` and `X-Forwarded-For` are
// one variable, and behind some servers `X~Forwarded~For` is a third spelling of it.

import { isKeptBack } from './answer-names.js'
import { identityPrefix } from './identity-fields.js'
import { isUpstreamIdentity } from './identity-names.js'

export type Disposition = 'pass' | 'drop' | 'connection' | 'cookie' | 'te' | 'content-length' | 'trace'

/** RFC 9110 §7.6.1 and what else speaks about one connection only. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]

/**
 * Requests: what the gate sets itself, and what speaks of the gate's own protocol. What other products would say of the
 * caller is in identity-names.ts.
 */
const droppedFromRequests = new Set([
  ...hopByHop,
  'host',
  'content-length',
  'expect',
  'authorization',
  'proxy-authorization',
  'proxy-authenticate',
  'request-id',
  'x-request-id',
  'traceparent',
  'service-worker',
])
/** Dropped in every spelling but their own: by these the gate decides, and another one must not say something else. */
const decidedByPrefixes = ['content-', 'sec-']

/**
 * Responses: framing, what names the software, and what would speak to browsers for this whole origin, which one
 * service among many must not: its cookies' jar, its storage, its transport policy, its cross-origin rules.
 */
const droppedFromResponses = new Set([
  ...hopByHop,
  'proxy-authenticate',
  'proxy-authorization',
  'request-id',
  'duration',
  'server',
  'x-powered-by',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  'via',
  'alt-svc',
  'clear-site-data',
  'service-worker-allowed',
  'strict-transport-security',
  'public-key-pins',
  'content-security-policy',
  'content-security-policy-report-only',
  'x-content-type-options',
  'reporting-endpoints',
  'report-to',
  'nel',
  'refresh',
  'sourcemap',
  'ratelimit',
  'ratelimit-policy',
])

/** Names seen so far. Bounded: a client may send any spelling of any name, of any length. */
const most = 2_000
const longest = 64
const requestNames = new Map<string, Disposition>()

/** The name as services behind the gate may read it. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9-]/g, '-')
}

/** What becomes of a request header field of this name, in whatever spelling. */
export function requestDisposition(name: string): Disposition {
  const known = requestNames.get(name)
  if (known !== undefined) return known
  const disposition = judgeRequest(name)
  if (requestNames.size < most && name.length <= longest) requestNames.set(name, disposition)
  return disposition
}

function judgeRequest(name: string): Disposition {
  const lower = name.toLowerCase()
  if (lower === 'connection' || lower === 'cookie' || lower === 'te' || lower === 'content-length') return lower
  if (lower === 'traceparent') return 'trace'
  // Not merely ours: any `_` is read as `-` by someone, and no registered field has one.
  if (name.includes('_')) return 'drop'
  const folded = foldName(name)
  if (droppedFromRequests.has(folded) || folded.startsWith(identityPrefix) || isUpstreamIdentity(folded)) return 'drop'
  const isOddlySpelled = folded !== lower && decidedByPrefixes.some((prefix) => folded.startsWith(prefix))
  return folded === 'cookie' || isOddlySpelled ? 'drop' : 'pass'
}

/** What is done with a response header field; the named ones are looked at more closely. */
export type ResponseDisposition = 'pass' | 'drop' | (typeof lookedAt)[number]

const lookedAt = [
  'kept-back',
  'www-authenticate',
  'content-length',
  'transfer-encoding',
  'trailer',
  'vary',
  'cache-control',
  'set-cookie',
  'location',
  'content-location',
] as const

/** A response header field's name in lower case, and what is done with it. */
export interface ResponseName {
  lower: string
  disposition: ResponseDisposition
}

const responseNames = new Map<string, ResponseName>()

/** Looks up the name of a response header field, in whatever letters it came. */
export function responseName(name: string): ResponseName {
  const known = responseNames.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  const judged: ResponseName = { lower, disposition: judgeResponse(lower) }
  if (responseNames.size < most && name.length <= longest) responseNames.set(name, judged)
  return judged
}

function judgeResponse(lower: string): ResponseDisposition {
  const special = lookedAt.find((one) => one === lower)
  if (special !== undefined && special !== 'kept-back') return special
  if (isDroppedFromResponses(lower)) return 'drop'
  return isKeptBack(lower) ? 'kept-back' : 'pass'
}

/** Whether a response header field (lower case) is kept from the client. */
export function isDroppedFromResponses(lower: string): boolean {
  return droppedFromResponses.has(lower) || lower.startsWith('access-control-')
}
