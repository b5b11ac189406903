// The gate's assertion keys, for a service that runs elsewhere. Asked for when they are needed and remembered; a flood of
// tokens with invented key ids costs one request per interval, and a gate that is away for a while costs nothing.

import type { JWK } from 'jose'
import { fetchDocument } from './fetch-document.js'
import type { SigningAlgorithm, VerificationKey } from './keys.js'
import { createVerificationKey } from './verification-key.js'

/** How long a set is used before it is asked for again, so that a removed key is noticed. */
const freshMs = 60_000
/** How long a set is used when nobody answers. */
const staleMs = 3_600_000
/** Between two requests, whatever is asked for. */
const pauseMs = 5_000

const algorithms = new Set(['ES256', 'RS256', 'EdDSA'])

export interface RemoteKeys {
  /** A key of the remembered set; undefined for unknown ones, and for all when the set is older than an hour. */
  findKey(kid: string): VerificationKey | undefined
  /**
   * Call it before findKey: fetches the set when `kid` is not in it, or when it is old; one request at a time, and none
   * within five seconds of the last. Never throws: what could not be fetched is not found.
   */
  prepare(kid: string): Promise<void>
}

/**
 * Keys published at `url` (https, or http on loopback). `ca`: PEM to trust instead of the system's. `fetch` answers with
 * the document's text; `monotonic` is milliseconds.
 */
export function createRemoteKeys(options: {
  url: string
  ca?: string
  fetch?: (url: string) => Promise<string>
  monotonic?: () => number
  onError?: (error: unknown) => void
}): RemoteKeys {
  const monotonic = options.monotonic ?? (() => performance.now())
  const fetch = options.fetch ?? ((url: string) => fetchDocument(url, options.ca))
  let keys: ReadonlyMap<string, VerificationKey> = new Map()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | undefined

  async function ask(): Promise<void> {
    askedAt = monotonic()
    try {
      keys = readKeySet(await fetch(options.url))
      fetchedAt = askedAt
    } catch (error) {
      options.onError?.(error)
    } finally {
      underWay = undefined
    }
  }

  return {
    findKey: (kid) => (monotonic() - fetchedAt < staleMs ? keys.get(kid) : undefined),
    async prepare(kid) {
      const isOld = monotonic() - fetchedAt >= freshMs
      if (!isOld && keys.has(kid)) return
      if (underWay === undefined && monotonic() - askedAt >= pauseMs) underWay = ask()
      // A key that is known, however old its set, is not waited for.
      if (!keys.has(kid)) await underWay
    },
  }
}

/** Reads a JWK Set (RFC 7517 §5). Keys that are not ours to use are left out; weak ones too. Throws when it is no set. */
function readKeySet(text: string): Map<string, VerificationKey> {
  const { keys } = JSON.parse(text) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('the document is not a JSON Web Key Set')
  const found = new Map<string, VerificationKey>()
  for (const jwk of keys as JWK[]) {
    const key = readKey(jwk)
    if (key !== undefined && !found.has(key.kid)) found.set(key.kid, key)
  }
  return found
}

function readKey(jwk: JWK): VerificationKey | undefined {
  if (typeof jwk?.kid !== 'string' || typeof jwk.alg !== 'string' || !algorithms.has(jwk.alg)) return undefined
  if (jwk.use !== undefined && jwk.use !== 'sig') return undefined
  try {
    return createVerificationKey(jwk.kid, jwk.alg as SigningAlgorithm, jwk)
  } catch {
    return undefined
  }
}
