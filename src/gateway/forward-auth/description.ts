// What a proxy says about the request that it asks for. Its words are believed here, on a listener of its own, and
// nowhere else; but a fact that is missing, or said twice and differently, is a proxy that passes on what a client made
// up.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { type CanonicalTarget, canonicalTarget } from '../../http/requests/canonical-target.js'
import { foldName } from '../forward/headers/header-names.js'
import { identityPrefix } from '../forward/headers/identity-fields.js'
import type { Dialect } from './dialects.js'

/** The request as it came to the proxy. */
export interface Description {
  method: string
  /** As it stood on the wire. */
  target: string
  /** With its port, as it came. */
  host: string
}

/**
 * Names under which proxies tell the same fact. Those that a dialect does not use must agree with the one that it uses.
 */
const factOf: Readonly<Record<string, keyof Description>> = {
  'x-original-method': 'method',
  'x-forwarded-method': 'method',
  // What a client would have the service take instead of the method that is decided on; the gate itself takes it away
  // (F).
  'x-http-method-override': 'method',
  'x-http-method': 'method',
  'x-method-override': 'method',
  'x-original-uri': 'target',
  'x-original-url': 'target',
  'x-forwarded-uri': 'target',
  'x-rewrite-url': 'target',
  'x-envoy-original-path': 'target',
  'x-original-host': 'host',
  'x-forwarded-host': 'host',
}

/**
 * Reads it. Throws ApiError 400 when anything is missing or said in two ways, and for a client's field that many a service
 * would read as one of the caller's identity: proxies replace those by name, and pass on other spellings of them.
 */
export function readDescription(request: FastifyRequest, { path, source }: Dialect): Description {
  const { headers, rawHeaders } = request.raw
  // Without them every request would come from the proxy's own address, over plain HTTP.
  if (headers['x-forwarded-for'] === undefined || headers['x-forwarded-proto'] === undefined) throw incomplete()
  const said = source === 'itself' ? itself(request, path) : named(rawHeaders, source)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const folded = foldName(name)
    if (folded.startsWith(identityPrefix) && folded !== name.toLowerCase()) throw ambiguous()
    const fact = factOf[folded]
    if (fact !== undefined && !agrees(rawHeaders[i + 1] ?? '', said[fact])) throw ambiguous()
  }
  return said
}

/** What stands between the slashes: plain text that no proxy and no service behind it would take out of the path. */
const repairable = /\/(?:\.|%2e)?(?=\/)|\/(?:\.|%2e)$/i

/**
 * The target in the gate's reading, below the path that the host's routes have. The proxy passes on the target as it
 * came, so one that the gate would fix (`//`, `/./`) is refused instead.
 */
export function describedTarget(raw: string, options: { prefix: string; urlBytes: number }): CanonicalTarget {
  if (raw.length > options.urlBytes) return { ok: false, reason: 'target_too_long' }
  if (!raw.startsWith('/')) return { ok: false, reason: 'target_form' }
  const target = canonicalTarget(raw)
  if (!target.ok) return target
  // The proxy may decode it on its way, and what it passes on then is not what was decided on.
  if (target.encodedSlash === true) return { ok: false, reason: 'encoded_separator' }
  if (repairable.test(raw.split('?', 1)[0] ?? '')) return { ok: false, reason: 'dot_segment' }
  return { ok: true, path: options.prefix + target.path, query: target.query }
}

/**
 * Builds what finds the path below which a host's routes stand: the empty one for the host of the base URL; undefined
 * for a host that nobody named. Two hosts that share their paths would share their permissions, so each has a path of
 * its own.
 */
export function hostPrefixes(
  baseUrl: string,
  hosts: ReadonlyMap<string, string>,
): (host: string) => string | undefined {
  const all = new Map([...hosts, [new URL(baseUrl).hostname, '']])
  return (host) => all.get(host.replace(/:\d{1,5}$/, '').toLowerCase())
}

function itself({ raw, originalUrl }: FastifyRequest, path: string): Description {
  const { method = '', headers, rawHeaders } = raw
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  const { host } = headers
  if (hosts.length !== 1 || host === undefined || !originalUrl.startsWith(`${path}/`)) throw incomplete()
  return { method, target: originalUrl.slice(path.length), host }
}

function named(rawHeaders: readonly string[], names: Description): Description {
  const only = (wanted: string): string => {
    const values = rawHeaders.filter((_value, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === wanted)
    const [value = '', ...more] = values
    if (more.length > 0) throw ambiguous()
    if (value === '') throw incomplete()
    return value
  }
  return { method: only(names.method), target: only(names.target), host: only(names.host) }
}

/** An empty field is what proxies send for one that they took away. */
function agrees(value: string, said: string): boolean {
  return value === '' || value === said
}

function incomplete(): ApiError {
  return new ApiError(400, 'IncompleteDescription', 'The proxy did not say which request it asks about.')
}

function ambiguous(): ApiError {
  return new ApiError(400, 'AmbiguousDescription', 'The proxy described the request in two ways.')
}
