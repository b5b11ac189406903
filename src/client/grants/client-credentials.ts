// The client's own tokens (RFC 6749 §4.4), one source for each thing that can be requested.

import { type ClientContext, requestTokens } from '../tokens/token-endpoint.js'
import { createTokenSource, obtainedToken } from '../tokens/token-source.js'
import type { TokenSource } from '../tokens/tokens.js'

/** What a token is requested for. */
export interface TokenRequest {
  /** Permissions, as a list or as text with spaces or commas; `default`: all that was consented. */
  scope?: string | readonly string[] | undefined
  /** RFC 8707: the API it is for. */
  resource?: string | undefined
  /** The tenant to act in, a GUID; absent: the application's own. */
  tenant?: string | undefined
}

/** So many different requests keep their token; the one that was used least recently makes room. */
const mostSources = 1000

/** A function that answers the same source for the same request. */
export function createApplicationSources(context: ClientContext): (request: TokenRequest) => TokenSource {
  const sources = new Map<string, TokenSource>()
  return (request) => {
    const key = keyOf(request)
    const source = sources.get(key) ?? createApplicationSource(context, request)
    sources.delete(key)
    sources.set(key, source)
    const [oldest] = sources.keys()
    if (sources.size > mostSources && oldest !== undefined) sources.delete(oldest)
    return source
  }
}

/** The names of a scope list in the order given, each once. */
export function scopeNames(scope: TokenRequest['scope']): string[] {
  const names = typeof scope === 'string' ? [scope] : (scope ?? [])
  return [...new Set(names.flatMap((name) => name.split(/[\s,]+/)).filter((name) => name !== ''))]
}

/** The form fields that say what is requested; the tenant has the name that only this server knows. */
export function requestFields({ scope, resource, tenant }: TokenRequest): Record<string, string | undefined> {
  const names = scopeNames(scope)
  return { scope: names.length === 0 ? undefined : names.join(' '), resource, requested_enrollment: tenant }
}

function createApplicationSource(context: ClientContext, request: TokenRequest): TokenSource {
  const withScope = { scope: 'default', ...request }
  const fields = { grant_type: 'client_credentials', ...requestFields(withScope) }
  const { surroundings } = context
  return createTokenSource(async (signal) => {
    const issued = await requestTokens(context, fields, signal)
    return obtainedToken(issued.tokens, issued, surroundings.random)
  }, surroundings)
}

/** Two requests share a token when they ask for the same set at the same place; issuer and client are one context's. */
function keyOf({ scope = 'default', resource, tenant }: TokenRequest): string {
  return JSON.stringify([scopeNames(scope).sort(), resource ?? null, tenant?.toLowerCase() ?? null])
}
