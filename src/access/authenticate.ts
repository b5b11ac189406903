// Who sends this request? The bearer token, verified once and remembered, and checked against the revocation view every
// time. Synchronous and lean: on a hit it costs one SHA-256, or none when the connection's last request had the same
// token, and a few look-ups in maps. Whether the view is fresh enough to be consulted at all is the caller's question,
// for the answer depends on the route.

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ForgedTokens } from '../limits/forged-tokens.js'
import { BearerError } from '../oauth/errors/errors.js'
import { checkTokenSyntax, readBearer } from '../oauth/requests/bearer.js'
import type { RevocationReason, RevocationView } from '../revocation/view.js'
import type { Keyring } from '../tokens/keys/keys.js'
import { verifyTokenAndKey } from '../tokens/verify.js'
import { createIssuedTokens, type IssuedTokens } from './issued-tokens.js'
import type { TokenPrincipal } from './principal.js'
import { ForgedTooOften, RefusedToken } from './refused-token.js'
import type { Revalidation } from './revalidation.js'
import { isState, StateRefusal } from './state-refusal.js'
import { revocableToken, tokenPrincipal } from './token-principal.js'
import type { VerifiedToken } from './verified-token.js'

export interface Authenticator {
  /**
   * The caller, from the raw headers (name, value, …) and the query without `?`, for a route of `resource` (undefined:
   * for whom the token is does not matter, as at userinfo). Throws BearerError: `no_token`, `invalid_request` (two
   * credentials, or one in the query), `invalid_token` (anything else, a token for another resource and a revoked one
   * included), ForgedTooOften. RFC 6750 §2.1, §3.1; RFC 9068 §4. Without an origin nothing is known of where it came
   * from, and nothing counted.
   */
  authenticate(
    rawHeaders: readonly string[],
    query: string | undefined,
    resource: string | undefined,
    origin?: TokenOrigin,
  ): TokenPrincipal
  /** Remembers that this process has just made this token for the application: its signature is not verified. */
  issued(applicationId: string, token: string): void
  /** Whether to call `authenticate` once more after this refusal of it; see revalidation.ts. Undefined: it stands. */
  revalidate(error: BearerError): Promise<boolean> | undefined
}

/** Where a request came from. */
export interface TokenOrigin {
  /** Its connection: the last token there is known without a digest. */
  readonly raw: { readonly socket: object }
  readonly facts: { readonly address: string }
}

export interface AuthenticatorOptions {
  keyring: Pick<Keyring, 'verificationKey' | 'generation'>
  view: Pick<RevocationView, 'refusal'>
  /** The exact `iss`. */
  issuer: string
  leewaySeconds: number
  /** Verified tokens that are remembered. */
  cacheEntries: number
  /** Wrong signatures by address; without it none is counted. */
  forgedTokens?: ForgedTokens
  /** For an instance among others; without it every refusal stands. */
  revalidation?: Revalidation
  /** Epoch milliseconds. */
  now: () => number
}

/** An authenticator with a cache of its own. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keyring, view, now } = options
  const verified = new LRUCache<string, VerifiedToken>({ max: options.cacheEntries })
  // An explanation has an authenticator of its own, which issues none.
  let issuedTokens: IssuedTokens | undefined

  /** Before a signature: whether it may be looked at. After a wrong one: counted. */
  function verifyFrom(address: string | undefined, token: string, nowMs: number): VerifiedToken {
    const { forgedTokens } = options
    if (forgedTokens === undefined || address === undefined) return verifyToken(token, options, nowMs)
    const waitSeconds = forgedTokens.waitSeconds(address)
    if (waitSeconds > 0) throw new ForgedTooOften(waitSeconds)
    try {
      return verifyToken(token, options, nowMs)
    } catch (error) {
      if (error instanceof BearerError && error.reason === 'bad_signature') forgedTokens.record(address)
      throw error
    }
  }

  function verifiedToken(token: string, nowMs: number, address: string | undefined): VerifiedToken {
    // The digest of the whole token: what is not the same to the last character is another token (and never kept in
    // clear).
    const digest = digestOf(token)
    const known = verified.get(digest)
    // A new generation of keys asks again: the key that signed this may be gone.
    if (known !== undefined && known.generation === keyring.generation) return known
    checkTokenSyntax(token)
    const fresh =
      issuedTokens?.has(digest) === true ? verifyToken(token, options, nowMs, true) : verifyFrom(address, token, nowMs)
    verified.set(digest, fresh)
    return fresh
  }

  /**
   * In clear, but no longer than its connection lives, whose buffers had it in clear before. Everything is required of
   * it again.
   */
  const lastOn = new WeakMap<object, { token: string; verified: VerifiedToken }>()

  function verifiedOn(origin: TokenOrigin, token: string, nowMs: number): VerifiedToken {
    const connection = origin.raw.socket
    const last = lastOn.get(connection)
    if (last?.token === token && last.verified.generation === keyring.generation) return last.verified
    const fresh = verifiedToken(token, nowMs, origin.facts.address)
    if (last === undefined) lastOn.set(connection, { token, verified: fresh })
    else {
      last.token = token
      last.verified = fresh
    }
    return fresh
  }

  return {
    authenticate(rawHeaders, query, resource, origin) {
      const nowMs = now()
      const bearer = readBearer(rawHeaders, query)
      const token = origin === undefined ? verifiedToken(bearer, nowMs, undefined) : verifiedOn(origin, bearer, nowMs)
      return current(view, token, resource, nowMs)
    },
    issued(applicationId, token) {
      issuedTokens ??= createIssuedTokens()
      issuedTokens.add(applicationId, digestOf(token))
    },
    revalidate: (error) => options.revalidation?.after(error),
  }
}

/**
 * An authenticator that takes every bearer token for one of this caller's: what would be decided if they had such a
 * token. Everything that is required of a verified token is required of this one.
 */
export function simulatedAuthenticator(
  principal: TokenPrincipal,
  { view, leewaySeconds, now }: Pick<AuthenticatorOptions, 'view' | 'leewaySeconds' | 'now'>,
): Authenticator {
  const verified: Omit<VerifiedToken, 'generation'> = {
    principal,
    revocable: revocableToken(principal),
    validFromMs: (principal.issuedAt - leewaySeconds) * 1000,
    validUntilMs: (principal.expiresAt + leewaySeconds) * 1000,
  }
  return {
    authenticate(rawHeaders, query, resource) {
      readBearer(rawHeaders, query)
      return current(view, verified, resource, now())
    },
    issued: () => undefined,
    revalidate: () => undefined,
  }
}

/**
 * Asks again about a caller who was let in earlier: their token may have ended since, or the key that signed it. Throws
 * BearerError `invalid_token`.
 */
export function checkStillGood(
  principal: TokenPrincipal,
  { view, keyring, leewaySeconds, now }: Pick<AuthenticatorOptions, 'view' | 'keyring' | 'leewaySeconds' | 'now'>,
): void {
  simulatedAuthenticator(principal, { view, leewaySeconds, now }).authenticate(anyBearer, undefined, undefined)
  if (principal.issuer === undefined && keyring.verificationKey('token', principal.keyId) === undefined) {
    throw new BearerError('invalid_token', 'key_removed', 'The access token is not valid.')
  }
}

const anyBearer = ['authorization', 'Bearer again']

/** The caller, if the verified token is good here and now. Throws BearerError `invalid_token`. */
function current(
  view: AuthenticatorOptions['view'],
  token: Omit<VerifiedToken, 'generation'>,
  resource: string | undefined,
  nowMs: number,
): TokenPrincipal {
  checkToken(token, resource, nowMs)
  const reason = view.refusal(token.revocable, nowMs)
  if (reason !== undefined) throw ended(reason, token.principal)
  return token.principal
}

function digestOf(token: string): string {
  return hash('sha256', token, 'binary')
}

function verifyToken(token: string, options: AuthenticatorOptions, nowMs: number, isOwnWork = false): VerifiedToken {
  const { keyring, issuer, leewaySeconds } = options
  const { generation } = keyring
  const { claims, kid } = verifyTokenAndKey(token, { keyring, issuer, leewaySeconds, nowMs, isOwnWork })
  const principal = tokenPrincipal(claims, kid)
  return {
    generation,
    principal,
    revocable: revocableToken(principal),
    validFromMs: (Math.max(claims.nbf, claims.iat) - leewaySeconds) * 1000,
    validUntilMs: (claims.exp + leewaySeconds) * 1000,
  }
}

/** On hits too: time goes on, clocks are set, and the same token may be tried on a route of another resource. */
function checkToken(token: Omit<VerifiedToken, 'generation'>, resource: string | undefined, nowMs: number): void {
  const { principal } = token
  if (nowMs >= token.validUntilMs) throw new RefusedToken('expired', 'The access token has expired.', principal)
  if (nowMs < token.validFromMs) throw new RefusedToken('not_yet_valid', 'The access token is not valid.', principal)
  if (resource !== undefined && principal.resource !== resource)
    throw new RefusedToken('wrong_audience', 'The access token is for another resource.', principal)
}

function ended(reason: RevocationReason, principal: TokenPrincipal): BearerError {
  const description = 'The access token is no longer valid.'
  if (isState(reason)) return new StateRefusal(reason, description, principal.seq, principal)
  return new RefusedToken(reason, description, principal)
}
