// Public keys that somebody else publishes: the gate's assertion keys for a service that runs elsewhere, or the keys of
// an issuer outside. Fetched when they are needed, and remembered; a flood of tokens with invented key ids costs one
// request per interval, and somebody who is away for a while costs nothing.

import type { JWK } from 'jose'
import type { VerificationAlgorithm, VerificationKey } from '../keys/keys.js'
import { createVerificationKey } from '../keys/verification-key.js'
import { fetchDocument } from './fetch-document.js'

/** How long a set is used when nobody answers. */
const staleMs = 3_600_000

/** Milliseconds. */
export interface Pace {
  /** How long a set is used before it is fetched again, so that a removed key is noticed. */
  freshMs: number
  /** Between two requests, whatever key is needed. */
  pauseMs: number
  /** Each failure in a row doubles the pause, up to this. */
  longestPauseMs: number
}

const gatePace: Pace = { freshMs: 60_000, pauseMs: 5_000, longestPauseMs: 5_000 }

const usualAlgorithms: readonly VerificationAlgorithm[] = ['ES256', 'RS256', 'EdDSA']
const keyTypes: Readonly<Record<VerificationAlgorithm, string>> = {
  ES256: 'EC',
  RS256: 'RSA',
  PS256: 'RSA',
  EdDSA: 'OKP',
}

export interface RemoteKeys {
  /** A key of the remembered set; undefined for unknown ones, and for all when the set is older than an hour. */
  findKey(kid: string): VerificationKey | undefined
  /**
   * Call it before findKey: fetches the set when `kid` is not in it, or when it is old; one request at a time, and none
   * within a pause of the last. Never throws: what could not be fetched is not found.
   */
  prepare(kid: string): Promise<void>
  /** Whether there is a set to believe. Asks for a newer one in the background when it is old. */
  isUsable(): boolean
  /** The last request for it got no answer: what is not found may be there all the same. */
  readonly isAway: boolean
  /** Another number whenever another set was fetched: what was verified before may be no more. */
  readonly generation: number
}

/**
 * Keys published at `url` (https, or http on loopback). `ca`: PEM to trust instead of the system's. `fetch` answers
 * with the document's text; `monotonic` is milliseconds.
 */
export function createRemoteKeys(options: {
  url: string
  ca?: string
  fetch?: (url: string) => Promise<string>
  monotonic?: () => number
  onError?: (error: unknown) => void
  pace?: Pace
  /** Keys for others are left out; the usual ones without PS256 when absent. */
  algorithms?: readonly VerificationAlgorithm[]
  /**
   * Keys without `alg` (RFC 7517 §4.4) are for the first of these that fits their type; otherwise they are left out.
   */
  withoutAlg?: boolean
}): RemoteKeys {
  const { freshMs, pauseMs, longestPauseMs } = options.pace ?? gatePace
  const monotonic = options.monotonic ?? (() => performance.now())
  const fetch = options.fetch ?? ((url: string) => fetchDocument(url, options.ca))
  let keys: ReadonlyMap<string, VerificationKey> = new Map()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let requestedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let generation = 0
  let text = ''
  let underWay: Promise<void> | undefined

  async function ask(): Promise<void> {
    requestedAt = monotonic()
    try {
      const fetched = await fetch(options.url)
      if (fetched !== text) {
        keys = readKeySet(fetched, options)
        generation += 1
      }
      text = fetched
      fetchedAt = requestedAt
      failures = 0
    } catch (error) {
      failures += 1
      options.onError?.(error)
    } finally {
      underWay = undefined
    }
  }

  const isOld = () => monotonic() - fetchedAt >= freshMs
  function askWhenDue(): void {
    const pause = Math.min(pauseMs * 2 ** Math.min(failures, 30), Math.max(pauseMs, longestPauseMs))
    if (underWay === undefined && monotonic() - requestedAt >= pause) underWay = ask()
  }

  return {
    isUsable() {
      if (isOld()) askWhenDue()
      return monotonic() - fetchedAt < staleMs
    },
    get isAway() {
      return failures > 0
    },
    get generation() {
      return generation
    },
    findKey: (kid) => (monotonic() - fetchedAt < staleMs ? keys.get(kid) : undefined),
    async prepare(kid) {
      if (!isOld() && keys.has(kid)) return
      askWhenDue()
      // A key that is known, however old its set, is not waited for.
      if (!keys.has(kid)) await underWay
    },
  }
}

type Rules = Pick<Parameters<typeof createRemoteKeys>[0], 'algorithms' | 'withoutAlg'>

/**
 * Reads a JWK Set (RFC 7517 §5). Keys that are not ours to use are left out; weak ones too. Throws when it is no set.
 */
function readKeySet(text: string, rules: Rules): Map<string, VerificationKey> {
  const { keys } = JSON.parse(text) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('the document is not a JSON Web Key Set')
  const found = new Map<string, VerificationKey>()
  for (const jwk of keys as JWK[]) {
    const key = readKey(jwk, rules)
    if (key !== undefined && !found.has(key.kid)) found.set(key.kid, key)
  }
  return found
}

function readKey(jwk: JWK, { algorithms = usualAlgorithms, withoutAlg }: Rules): VerificationKey | undefined {
  const named = algorithms.find((each) => each === jwk?.alg)
  const fitting = withoutAlg === true ? algorithms.find((each) => keyTypes[each] === jwk?.kty) : undefined
  const alg = jwk?.alg === undefined ? fitting : named
  if (typeof jwk?.kid !== 'string' || alg === undefined) return undefined
  if (jwk.use !== undefined && jwk.use !== 'sig') return undefined
  try {
    return createVerificationKey(jwk.kid, alg, jwk)
  } catch {
    return undefined
  }
}
