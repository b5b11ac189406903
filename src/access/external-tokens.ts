// Who sends this request, on a route that takes tokens of issuers outside? Each of them is verified by its own issuer's
// keys and remembered in a table of its own; nothing is remembered across issuers, keys or configurations. A hit is
// decided at once, and checked against times, audience, route and revocation like every other.

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { fingerprint } from '../config/report/rule-changes.js'
import type { IssuerSettings } from '../config/settings/issuer-settings.js'
import type { ForgedTokens } from '../limits/forged-tokens.js'
import { BearerError } from '../oauth/errors/errors.js'
import { readBearer } from '../oauth/requests/bearer.js'
import type { RevocationView } from '../revocation/view.js'
import { claimedIssuer, readExternalToken, verifyExternalToken } from '../tokens/external/external-token.js'
import { fetchKeySet } from '../tokens/external/issuer-keys.js'
import { createRemoteKeys, type RemoteKeys } from '../tokens/external/remote-keys.js'
import { UnknownKey } from '../tokens/verify.js'
import { externalPrincipal } from './external-principal.js'
import type { TokenPrincipal } from './principal.js'
import { ForgedTooOften, RefusedToken } from './refused-token.js'
import { revocableToken } from './token-principal.js'
import type { VerifiedToken } from './verified-token.js'

export interface ExternalTokens {
  /**
   * The caller, for a route that takes tokens of these issuers; `own` when the token says that it is ours, and ours are
   * taken. At once for a token that is remembered. Throws BearerError; rejects with it, or with KeysUnavailable.
   */
  authenticate(request: ExternalTokenRequest): TokenPrincipal | 'own' | Promise<TokenPrincipal>
  /** Whether the key that signed for this caller is still one of its issuer's. */
  isKeyGone(principal: TokenPrincipal): boolean
  /** From now on these are the issuers. What is known of one that says the same as before is kept. */
  replace(issuers: ReadonlyMap<string, IssuerSettings>): void
}

export interface ExternalTokenRequest {
  rawHeaders: readonly string[]
  /** Without `?`. */
  query: string | undefined
  /** Names of the route's issuers; `own` is this server. */
  issuers: readonly string[]
  resource: string
  /** What the request came on. */
  connection: object
  /** Where it came from; without it no wrong signature is counted. */
  address?: string
}

/** The issuer's keys cannot be had, so nobody can say whether its token is good: 503, never 401. */
export class KeysUnavailable extends Error {}

interface Remembered extends VerifiedToken {
  settings: IssuerSettings
}

/** An issuer that is down is tried once a minute in the end. */
const pace = { freshMs: 600_000, pauseMs: 5_000, longestPauseMs: 60_000 }
const own = 'own'

/**
 * `issuers`: those of the configuration by name. `ownIssuer`: this server's. `fetch` answers with a document's text and
 * decides which addresses it asks. `now` is epoch milliseconds.
 */
export function createExternalTokens(options: {
  issuers: ReadonlyMap<string, IssuerSettings>
  ownIssuer: string
  view: Pick<RevocationView, 'refusal'>
  fetch: (url: string) => Promise<string>
  cacheEntries: number
  /** Wrong signatures by address; without it none is counted. */
  forgedTokens?: ForgedTokens
  now: () => number
  monotonic: () => number
  onError?: (issuer: string, error: unknown) => void
}): ExternalTokens {
  const { view, now } = options
  const remembered = new LRUCache<string, Remembered>({ max: options.cacheEntries })
  /**
   * In clear, but no longer than its connection lives, whose buffers had it in clear before. Everything is required of
   * it again.
   */
  const lastOn = new WeakMap<object, { token: string; found: Remembered | typeof own }>()
  let issuers = options.issuers
  const keysOf = createKeysOf(options, () => issuers)

  /** A reload, a new set of keys or another issuer under the name: verified anew. */
  function isCurrent(entry: Remembered): boolean {
    const known = keysOf(entry.settings)
    return (
      issuers.get(entry.settings.name) === entry.settings && known.isUsable() && known.generation === entry.generation
    )
  }

  function current(entry: Remembered, { issuers: taken, resource }: ExternalTokenRequest): TokenPrincipal {
    const { principal } = entry
    const nowMs = now()
    if (!taken.includes(entry.settings.name)) throw wrongIssuer()
    if (nowMs >= entry.validUntilMs) throw new RefusedToken('expired', 'The access token has expired.', principal)
    if (nowMs < entry.validFromMs) throw new RefusedToken('not_yet_valid', 'The access token is not valid.', principal)
    if (principal.resource !== resource)
      throw new RefusedToken('wrong_audience', 'The access token is for another resource.', principal)
    const reason = view.refusal(entry.revocable, nowMs)
    if (reason !== undefined) throw new RefusedToken(reason, 'The access token is no longer valid.', principal)
    return principal
  }

  async function verify(token: string, digest: string, settings: IssuerSettings): Promise<Remembered> {
    const jws = readExternalToken(token, settings)
    const published = keysOf(settings)
    await published.prepare(jws.kid)
    if (!published.isUsable()) throw new KeysUnavailable(`the keys of ${settings.name} cannot be had`)
    const { generation } = published
    const key = published.findKey(jws.kid)
    if (key === undefined && published.isAway) throw new KeysUnavailable(`the keys of ${settings.name} may be old`)
    if (key === undefined) throw new UnknownKey(jws.kid)
    const claims = verifyExternalToken(jws, key, settings, now())
    const principal = externalPrincipal(claims, settings, { keyId: jws.kid, digest: toText(digest) })
    const leewayMs = settings.leewaySeconds * 1000
    const entry: Remembered = {
      settings,
      generation,
      principal,
      revocable: revocableToken(principal),
      validFromMs: Math.max(claims.nbf, claims.iat) * 1000 - leewayMs,
      validUntilMs: claims.exp * 1000 + leewayMs,
    }
    remembered.set(digest, entry)
    return entry
  }

  return {
    authenticate(request) {
      const { connection } = request
      const token = readBearer(request.rawHeaders, request.query)
      const last = lastOn.get(connection)
      if (last?.token === token) {
        if (last.found === own) return ownIfTaken(request)
        if (isCurrent(last.found)) return current(last.found, request)
      }
      const digest = hash('sha256', token, 'binary')
      const known = remembered.get(digest)
      if (known !== undefined && isCurrent(known)) {
        lastOn.set(connection, { token, found: known })
        return current(known, request)
      }
      const iss = claimedIssuer(token)
      if (iss === undefined || iss === options.ownIssuer) {
        lastOn.set(connection, { token, found: own })
        return ownIfTaken(request)
      }
      const settings = request.issuers.map((name) => issuers.get(name)).find((one) => one?.issuer === iss)
      if (settings === undefined) throw wrongIssuer()
      const { address } = request
      const waitSeconds = address === undefined ? 0 : (options.forgedTokens?.waitSeconds(address) ?? 0)
      if (waitSeconds > 0) throw new ForgedTooOften(waitSeconds)
      return verify(token, digest, settings).then(
        (entry) => current(entry, request),
        (error: unknown) => {
          const isForged = error instanceof BearerError && error.reason === 'bad_signature'
          if (isForged && address !== undefined) options.forgedTokens?.record(address)
          throw error
        },
      )
    },
    isKeyGone(principal) {
      const settings = issuers.get(principal.issuer ?? '')
      if (settings === undefined) return true
      const published = keysOf(settings)
      const kid = principal.keyId.slice(settings.name.length + 1)
      return published.isUsable() && published.findKey(kid) === undefined
    },
    replace(next) {
      const same = (one: IssuerSettings) => {
        const before = issuers.get(one.name)
        return before !== undefined && fingerprint(before) === fingerprint(one) ? before : one
      }
      issuers = new Map([...next].map(([name, one]) => [name, same(one)]))
    },
  }
}

/** The keys of each issuer; those of one whose keys are the same after a reload are kept. */
function createKeysOf(
  options: Parameters<typeof createExternalTokens>[0],
  issuers: () => ReadonlyMap<string, IssuerSettings>,
): (settings: IssuerSettings) => RemoteKeys {
  const bySettings = new WeakMap<IssuerSettings, RemoteKeys>()
  const byPlace = new Map<string, RemoteKeys>()
  const placeOf = ({ issuer, keys, algorithms }: IssuerSettings) => JSON.stringify([issuer, keys, algorithms])
  return (settings) => {
    const known = bySettings.get(settings)
    if (known !== undefined) return known
    const place = placeOf(settings)
    const made =
      byPlace.get(place) ??
      createRemoteKeys({
        url: settings.issuer,
        monotonic: options.monotonic,
        pace,
        withoutAlg: true,
        algorithms: settings.algorithms,
        fetch: () => keySetOf(settings, options.fetch),
        onError: (error) => options.onError?.(settings.issuer, error),
      })
    const places = new Set([...issuers().values()].map(placeOf))
    for (const old of byPlace.keys()) if (!places.has(old)) byPlace.delete(old)
    byPlace.set(place, made)
    bySettings.set(settings, made)
    return made
  }
}

/** What does not even say whose it is fails as one of ours. */
function ownIfTaken({ issuers }: ExternalTokenRequest): typeof own {
  if (issuers.includes(own)) return own
  throw wrongIssuer()
}

function wrongIssuer(): BearerError {
  return new BearerError('invalid_token', 'wrong_issuer', 'The access token is not valid.')
}

function keySetOf({ keys, issuer }: IssuerSettings, fetch: (url: string) => Promise<string>): Promise<string> {
  if ('jwks' in keys) return Promise.resolve(JSON.stringify(keys.jwks))
  return keys.url === undefined ? fetchKeySet(issuer, fetch) : fetch(keys.url)
}

function toText(digest: string): string {
  return Buffer.from(digest, 'latin1').toString('base64url')
}
