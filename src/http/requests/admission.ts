// What every request must be before any room sees it: one request, for one known host, over TLS, with a target that can
// be read in one way only. Runs in the root onRequest hook, so that a 404 is not reached before it either.

import type { IncomingMessage } from 'node:http'
import { ApiError } from '../answers/api-error.js'
import { asksForUpgrade, isUpgrade } from '../connections/upgrades.js'
import { invalidTarget } from './invalid-target.js'
import type { RequestContext } from './request-context.js'

export interface AdmissionRules {
  /** `local` and `proxies`: a client that gets in may use any name and needs no TLS. */
  listener: 'public' | 'local' | 'proxies'
  isKnownHost(host: string): boolean
  /** Among the known ones: those that answer for nothing but routes. */
  isApiHost?(host: string): boolean
  headerBytes: number
  headerCount: number
  /** For the message of a plain-HTTP refusal. */
  baseUrl: string
}

/** What is read of a request here. */
export type RequestHead = Pick<
  IncomingMessage,
  'method' | 'headers' | 'rawHeaders' | 'httpVersionMajor' | 'httpVersionMinor'
>

const allowed = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
const closing = { headers: { connection: 'close' } } as const
const neverServed = new Set(['TRACE', 'CONNECT', 'TRACK'])

/** Builds the matcher for Host: names without port, in any case; `*.name` covers every name below. */
export function hostMatcher(names: readonly string[]): (host: string) => boolean {
  const exact = new Set(names.filter((name) => !name.startsWith('*.')).map((name) => name.toLowerCase()))
  const below = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1).toLowerCase())
  // Almost every request says what the one before it said.
  let lastKnown: string | undefined
  return (host) => {
    if (host === lastKnown) return true
    const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/.exec(host)
    const name = match?.[1]?.toLowerCase()
    const isKnown = name !== undefined && (exact.has(name) || below.some((suffix) => name.endsWith(suffix)))
    if (isKnown) lastKnown = host
    return isKnown
  }
}

/** The refusal of a request that may not go on, or undefined. Throws nothing. */
export function refuseAdmission(raw: RequestHead, facts: RequestContext, rules: AdmissionRules): ApiError | undefined {
  if (raw.httpVersionMajor !== 1) return bad('HttpVersion', 'This server speaks HTTP/1.1.')
  return (
    refuseFraming(raw) ?? refuseTarget(facts) ?? refuseHeaders(raw, facts, rules) ?? refuseTransport(raw, facts, rules)
  )
}

/** Whether a server that refuses so must not look at anything else that comes on the connection. */
export function endsConnection(refusal: ApiError): boolean {
  return refusal.extras.headers?.['connection'] === 'close'
}

/** RFC 9112 §6.1. A proxy in front may find the end of such a body elsewhere than we would. */
function refuseFraming({ headers, httpVersionMinor }: RequestHead): ApiError | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersionMinor === 0) {
    return new ApiError(400, 'TransferCoding', 'HTTP/1.0 has no transfer codings: its framing is faulty.', closing)
  }
  if (coding.trim().toLowerCase() === 'chunked') return undefined
  return new ApiError(501, 'TransferCoding', 'The only transfer coding is chunked.', closing)
}

function refuseTarget(facts: RequestContext): ApiError | undefined {
  const { target } = facts
  if (target.ok) return undefined
  if (target.reason === 'target_too_long') return new ApiError(414, 'TargetTooLong', 'The request target is too long.')
  return invalidTarget(target.reason)
}

/** Sizes first, then Host (RFC 9112 §3.2: exactly one, and it must be ours). */
function refuseHeaders(raw: RequestHead, facts: RequestContext, rules: AdmissionRules): ApiError | undefined {
  const { rawHeaders } = raw
  let bytes = 0
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    bytes += name.length + (rawHeaders[i + 1] ?? '').length + 4
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (bytes > rules.headerBytes || rawHeaders.length > rules.headerCount * 2) {
    return new ApiError(431, 'HeadersTooLarge', 'The request has too many header fields, or too large ones.')
  }
  if (rules.listener !== 'public') return undefined
  if (hosts !== 1) {
    // A proxy in front may have read another host than we would: nothing more is read from this connection.
    return new ApiError(400, 'InvalidHost', 'A request has exactly one Host header field.', closing)
  }
  const authority = facts.target.ok ? facts.target.authority : undefined
  const host = raw.headers.host ?? ''
  const isApi = rules.isApiHost?.(host) === true
  if (isApi) facts.entry.apiHost = ownAuthority(host, rules)
  // What is only for the one kind of host must not be reached by naming both.
  const agree =
    authority === undefined || (rules.isKnownHost(authority) && (rules.isApiHost?.(authority) === true) === isApi)
  if (rules.isKnownHost(host) && agree) return undefined
  return new ApiError(421, 'MisdirectedRequest', 'This server does not answer for that host.')
}

/** What a host is called in what is sent out: the port is that of the base URL, whatever a client said. */
function ownAuthority(host: string, { baseUrl }: AdmissionRules): string {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  const port = /:(\d+)$/.exec(baseUrl)?.[1]
  return port === undefined || port === '443' ? name : `${name}:${port}`
}

function refuseTransport(raw: RequestHead, facts: RequestContext, rules: AdmissionRules): ApiError | undefined {
  if (!facts.secure && rules.listener === 'public') {
    // Never a redirect: the credential that came in clear would come again, and the caller would not notice.
    return new ApiError(403, 'HttpsRequired', `Use HTTPS: ${rules.baseUrl}`, { more: { base_url: rules.baseUrl } })
  }
  if (neverServed.has(raw.method ?? '')) {
    return new ApiError(405, 'MethodNotAllowed', 'This method is not served.', { headers: { allow: allowed } })
  }
  // Where the connection is free for it, it is the route's business.
  if (!isUpgrade(raw) && asksForUpgrade(raw)) return upgradeRefused()
  return undefined
}

/** Of a request that asks for a protocol where there is none but HTTP: what follows may be of the other one already. */
export function upgradeRefused(): ApiError {
  return new ApiError(400, 'UpgradeRefused', 'Protocol upgrades are not served here.', closing)
}

function bad(code: string, message: string): ApiError {
  return new ApiError(400, code, message)
}
