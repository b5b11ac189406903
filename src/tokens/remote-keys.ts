// Public keys that somebody else publishes: the gate's assertion keys for a service that runs elsewhere, or the keys of an
// issuer outside. Asked for when they are needed and remembered; a flood of tokens with invented key ids costs one request per
// interval, and somebody who is away for a while costs nothing.

import type { JWK } from 'jose'
import { fetchDocument } from './fetch-document.js'
import type { SigningAlgorithm, VerificationKey } from './keys.js'
import { createVerificationKey } from './verification-key.js'

/** How long a set is used when nobody answers. */
const staleMs = 3_600_000

/** Milliseconds. */
export interface Pace {
  /** How long a set is used before it is asked for again, so that a removed key is noticed. */
  freshMs: number
  /** Between two requests, whatever is asked for. */
  pauseMs: number
  /** Each failure in a row doubles the pause, up to this. */
  longestPauseMs: number
}

const gatePace: Pace = { freshMs: 60_000, pauseMs: 5_000, longestPauseMs: 5_000 }

const algorithms = new Set(['ES256', 'RS256', 'EdDSA'])
/** Some issuers leave `alg` out (RFC 7517 §4.4); a type of key has one algorithm here. */
const usualAlgorithm: ReadonlyMap<unknown, string> = new Map([
  ['EC', 'ES256'],
  ['RSA', 'RS256'],
  ['OKP', 'EdDSA'],
])

export interface RemoteKeys {
  /** A key of the remembered set; undefined for unknown ones, and for all when the set is older than an hour. */
  findKey(kid: string): VerificationKey | undefined
  /**
   * Call it before findKey: fetches the set when `kid` is not in it, or when it is old; one request at a time, and none
   * within a pause of the last. Never throws: what could not be fetched is not found.
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
  pace?: Pace
  /** Keys without `alg` are for the usual algorithm of their type; otherwise they are left out. */
  withoutAlg?: boolean
}): RemoteKeys {
  const { freshMs, pauseMs, longestPauseMs } = options.pace ?? gatePace
  const monotonic = options.monotonic ?? (() => performance.now())
  const fetch = options.fetch ?? ((url: string) => fetchDocument(url, options.ca))
  let keys: ReadonlyMap<string, VerificationKey> = new Map()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let underWay: Promise<void> | undefined

  async function ask(): Promise<void> {
    askedAt = monotonic()
    try {
      keys = readKeySet(await fetch(options.url), options.withoutAlg === true)
      fetchedAt = askedAt
      failures = 0
    } catch (error) {
      failures += 1
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
      const pause = Math.min(pauseMs * 2 ** Math.min(failures, 30), Math.max(pauseMs, longestPauseMs))
      if (underWay === undefined && monotonic() - askedAt >= pause) underWay = ask()
      // A key that is known, however old its set, is not waited for.
      if (!keys.has(kid)) await underWay
    },
  }
}

/** Reads a JWK Set (RFC 7517 §5). Keys that are not ours to use are left out; weak ones too. Throws when it is no set. */
function readKeySet(text: string, withoutAlg: boolean): Map<string, VerificationKey> {
  const { keys } = JSON.parse(text) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('the document is not a JSON Web Key Set')
  const found = new Map<string, VerificationKey>()
  for (const jwk of keys as JWK[]) {
    const key = readKey(jwk, withoutAlg)
    if (key !== undefined && !found.has(key.kid)) found.set(key.kid, key)
  }
  return found
}

function readKey(jwk: JWK, withoutAlg: boolean): VerificationKey | undefined {
  const alg = jwk?.alg ?? (withoutAlg ? usualAlgorithm.get(jwk?.kty) : undefined)
  if (typeof jwk?.kid !== 'string' || typeof alg !== 'string' || !algorithms.has(alg)) return undefined
  if (jwk.use !== undefined && jwk.use !== 'sig') return undefined
  try {
    return createVerificationKey(jwk.kid, alg as SigningAlgorithm, jwk)
  } catch {
    return undefined
  }
}
