// The header fields of an upstream's answer, on their way to the client: hop-by-hop ones out, what would speak for the
// whole origin out, redirects turned to the gate's own addresses, and never stored by a shared cache unless the
// upstream says so.

import { proxiedAnswerHeaders, proxiedPageHeaders } from '../../../http/answers/security-headers.js'
import { isKeptBack, promptsForPassword } from './answer-names.js'
import { isDroppedFromResponses, type ResponseDisposition, responseName } from './header-names.js'
import { publicLocation } from './location.js'
import { confinedCookie } from './set-cookie.js'

export interface ResponseShape {
  status: number
  /** The request was a HEAD: framing fields describe a body that does not come. */
  head: boolean
  /** The route asks for a token: the answer belongs to its caller alone. */
  authorized: boolean
  /** Whether the client can be sent trailers: an HTTP/1.1 client, and an answer without a length. */
  http11: boolean
  location: Parameters<typeof publicLocation>[1]
  /** Below which path the service may set cookies. */
  cookiePath: string
  /** What the route says of answers; absent: nothing. */
  rules?: AnswerRules | undefined
}

export interface AnswerRules {
  /** Names in lower case: of the upstream's own fields only these cross, besides those that describe the body. */
  fields: ReadonlySet<string> | undefined
  /** Names in lower case that cross although they are kept back elsewhere. */
  allowed: ReadonlySet<string> | undefined
  /** They may run scripts: their host has nothing of ours. */
  pages: boolean
  /** Cache-Control of answers (status below 400) that have none. */
  cacheControl: string | undefined
}

export interface ResponseHead {
  /** Flat name, value list. */
  headers: string[]
  /** Bytes of the body, when the upstream said so. */
  length: number | undefined
}

/** Turns the raw fields of an answer (name, value, name, value …, latin1) into the ones that are sent. */
export function responseHead(raw: readonly (Buffer | string)[], shape: ResponseShape): ResponseHead {
  const out: string[] = []
  const facts: HeaderFacts = { length: undefined, cacheControl: '', vary: '', trailer: '', chunked: false }
  const named = namedByConnection(raw)
  for (let i = 0; i < raw.length; i += 2) {
    const { lower, disposition } = responseName(text(raw[i]))
    if (disposition === 'drop' || named?.has(lower) || isLeftOut(lower, disposition, shape.rules)) continue
    const value = text(raw[i + 1])
    switch (disposition) {
      case 'pass':
        out.push(lower, value)
        break
      case 'content-length':
        if (shape.status !== 204 && shape.status >= 200) facts.length = Number(value)
        break
      case 'transfer-encoding':
        facts.chunked = true
        break
      case 'trailer':
        facts.trailer = value
        break
      case 'vary':
        facts.vary = facts.vary === '' ? value : `${facts.vary}, ${value}`
        break
      case 'cache-control':
        facts.cacheControl = facts.cacheControl === '' ? value : `${facts.cacheControl}, ${value}`
        break
      case 'kept-back':
        if (shape.rules?.allowed?.has(lower)) out.push(lower, value)
        break
      case 'www-authenticate':
        if (!promptsForPassword(value) || shape.rules?.allowed?.has(lower)) out.push(lower, value)
        break
      case 'set-cookie': {
        const cookie = confinedCookie(value, shape.cookiePath)
        if (cookie !== undefined) out.push(lower, cookie)
        break
      }
      case 'location':
      case 'content-location': {
        const location = publicLocation(value, shape.location)
        if (location !== undefined) out.push(lower, location)
        break
      }
    }
  }
  finish(out, facts, shape)
  return { headers: out, length: facts.length }
}

interface HeaderFacts {
  length: number | undefined
  cacheControl: string
  vary: string
  trailer: string
  chunked: boolean
}

/** What frames or describes the body, and what caches need, is not on the route's list and crosses all the same. */
function isLeftOut(lower: string, disposition: ResponseDisposition, rules: AnswerRules | undefined): boolean {
  if (rules?.fields === undefined || rules.fields.has(lower)) return false
  return /^(?:pass|set-cookie|location|content-location|www-authenticate)$/.test(disposition)
}

function finish(out: string[], facts: HeaderFacts, shape: ResponseShape): void {
  if (facts.length !== undefined) out.push('content-length', String(facts.length))
  else if (facts.trailer !== '' && facts.chunked && shape.http11 && !shape.head) out.push('trailer', facts.trailer)
  const cacheControl = cacheControlOf(facts.cacheControl, shape)
  if (cacheControl !== '') out.push('cache-control', cacheControl)
  if (shape.authorized) {
    if (facts.vary === '') facts.vary = 'Authorization'
    else if (!/(?:^|[\s,])(?:\*|authorization)(?:$|[\s,])/i.test(facts.vary)) facts.vary += ', Authorization'
  }
  if (facts.vary !== '') out.push('vary', facts.vary)
  for (const item of shape.rules?.pages === true ? proxiedPageHeaders : proxiedAnswerHeaders) out.push(item)
}

/**
 * What was answered to a token is never a shared cache's, whatever the service says: it need not know that a token was
 * required.
 */
function cacheControlOf(said: string, { authorized, rules, status }: ResponseShape): string {
  const own = said === '' && status < 400 ? (rules?.cacheControl ?? '') : said
  if (!authorized || rules?.allowed?.has('cache-control')) return own
  return own === '' ? 'private, no-store' : forOneCaller(own)
}

/** Without `public` and `s-maxage`, and with a `private` that stands for the whole answer (RFC 9111 §5.2.2). */
function forOneCaller(value: string): string {
  if (/^\s*(?:private|no-store)\s*$/i.test(value)) return value
  const kept = directives(value).filter((one) => !/^(?:public|s-maxage|proxy-revalidate|private)(?:$|[=\s])/i.test(one))
  return kept.some((one) => /^no-store$/i.test(one)) ? kept.join(', ') : ['private', ...kept].join(', ')
}

/** Commas within quotes are no ends. */
function directives(value: string): string[] {
  const found = value.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []
  return found.map((one) => one.trim()).filter((one) => one !== '')
}

/**
 * Trailer fields that may follow a body: no framing, routing, or anything that a header could not be either (RFC 9110
 * §6.5.1).
 */
export function trailersFor(
  raw: readonly (Buffer | string)[] | null | undefined,
  rules?: AnswerRules | undefined,
): [string, string][] {
  const out: [string, string][] = []
  for (let i = 0; i < (raw?.length ?? 0); i += 2) {
    const lower = text(raw?.[i]).toLowerCase()
    if (isDroppedFromResponses(lower) || forbiddenTrailers.has(lower) || isLeftOut(lower, 'pass', rules)) continue
    if (isKeptBack(lower) && !rules?.allowed?.has(lower)) continue
    out.push([lower, text(raw?.[i + 1])])
  }
  return out
}

const forbiddenTrailers = new Set([
  'content-length',
  'content-encoding',
  'content-type',
  'content-range',
  'host',
  'set-cookie',
  'authorization',
  'www-authenticate',
  'cache-control',
  'vary',
  'location',
  'date',
  'age',
  'expires',
  'retry-after',
])

function namedByConnection(raw: readonly (Buffer | string)[]): ReadonlySet<string> | undefined {
  let tokens: Set<string> | undefined
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.length !== 10 || text(raw[i]).toLowerCase() !== 'connection') continue
    const value = text(raw[i + 1]).toLowerCase()
    if (value === 'keep-alive' || value === 'close') continue
    tokens ??= new Set()
    for (const token of value.split(',')) tokens.add(token.trim())
  }
  // What frames and describes the answer cannot be taken away by a word of its own.
  for (const kept of ['content-length', 'content-type', 'cache-control', 'vary']) tokens?.delete(kept)
  return tokens
}

function text(value: Buffer | string | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : value.toString('latin1')
}
