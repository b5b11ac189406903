// The only way out to a provider: to the addresses that the operator's configuration leads to and to no other, over
// https with its certificate verified, nothing followed, nothing slow, nothing large. No request can name an address,
// so a private one is as good as a public one: the operator wrote it.

import type { CustomFetch, CustomFetchOptions } from 'openid-client'
import { AnswerTooLarge, readText } from '../../egress/answer-body.js'
import { exchange } from '../../egress/exchange.js'
import { operatorLookup } from '../../egress/operator-names.js'

const timeoutMs = 5_000
const longestBytes = 262_144
/**
 * How long the failure of a document is remembered, so that a provider that is down costs one request and not one for
 * each person.
 */
const failurePauseMs = 5_000

/** The provider does not answer, not in time, or with more than fits. */
export class ProviderUnreachable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ProviderUnreachable'
  }
}

export interface GuardedFetch {
  fetch: CustomFetch
  /**
   * From now on these are the only addresses, besides the discovery document. Throws Error for one that is not https.
   */
  allow(endpoints: readonly string[]): void
}

interface Received {
  status: number
  type: string
  body: string
}

/**
 * `issuer` as it is configured; `ca` is PEM to trust instead of the system's authorities; `monotonic` is milliseconds.
 */
export function createGuardedFetch(options: {
  issuer: string
  ca: string | undefined
  monotonic: () => number
}): GuardedFetch {
  const { issuer, ca, monotonic } = options
  const discovery = discoveryUrl(issuer)
  let allowed = new Set([discovery])
  const underWay = new Map<string, Promise<Received>>()
  const failures = new Map<string, { at: number; error: unknown }>()

  /** A document that is the same for everybody: one request for it at a time. */
  function document(url: string, asking: CustomFetchOptions): Promise<Received> {
    const failed = failures.get(url)
    if (failed !== undefined && monotonic() - failed.at < failurePauseMs) return Promise.reject(failed.error)
    const before = underWay.get(url)
    if (before !== undefined) return before
    const made = ask(url, asking, ca)
      .catch((error: unknown) => {
        failures.set(url, { at: monotonic(), error })
        throw error
      })
      .finally(() => underWay.delete(url))
    underWay.set(url, made)
    return made
  }

  return {
    async fetch(url, asking) {
      if (!allowed.has(url)) throw new ProviderUnreachable('the address is none that the configuration leads to')
      const shared =
        asking.method === 'GET' && !Object.keys(asking.headers).some((name) => /^authorization$/i.test(name))
      const { status, type, body } = await (shared ? document(url, asking) : ask(url, asking, ca))
      const empty = [101, 204, 205, 304].includes(status)
      return new Response(empty ? null : body, { status, headers: { 'content-type': type } })
    },
    allow(endpoints) {
      for (const each of endpoints) {
        if (new URL(each).protocol !== 'https:') throw new Error('an endpoint of the provider is not https')
      }
      allowed = new Set([discovery, ...endpoints.map((each) => new URL(each).href)])
    },
  }
}

/** Where an issuer’s document is: OpenID Connect Discovery 1.0 §4. */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

async function ask(url: string, asking: CustomFetchOptions, ca: string | undefined): Promise<Received> {
  const body = bodyOf(asking)
  try {
    const response = await exchange(url, {
      method: asking.method,
      headers: asking.headers,
      body,
      lookup: operatorLookup,
      ca,
      // Of the whole exchange: a provider that sends a byte a second is as good as none.
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await readText(response, longestBytes)
    const { statusCode: status = 0 } = response
    if (status >= 500 || status === 429) throw new ProviderUnreachable(`the provider answered ${status}`)
    return { status, type: response.headers['content-type'] ?? '', body: text }
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw error
    const why = error instanceof AnswerTooLarge ? error.message : 'the provider did not answer'
    throw new ProviderUnreachable(why, error)
  }
}

function bodyOf({ body }: CustomFetchOptions): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new TypeError('only forms are sent to a provider')
}
