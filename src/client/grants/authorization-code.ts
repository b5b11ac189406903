// The authorization code grant with PKCE (RFC 6749 §4.1, RFC 7636): an address for the person's browser, and what comes
// back to the redirect URI. Between the two the caller keeps what was begun, in memory or where only it can read.

import { randomText } from '../base64url.js'
import { ClientError, OAuthRefusal } from '../errors.js'
import { checkedClaims } from '../tokens/id-token.js'
import { type ClientContext, requestTokens } from '../tokens/token-endpoint.js'
import type { Tokens } from '../tokens/tokens.js'
import { requestFields, scopeNames, type TokenRequest } from './client-credentials.js'
import { createPkce } from './pkce.js'

export interface AuthorizationRequest extends TokenRequest {
  /** One of the registered ones, exactly; of a loopback one the port may differ (RFC 8252 §7.3). */
  redirectUri: string
  prompt?: string | undefined
  loginHint?: string | undefined
  /** Seconds since the person last proved who they are. */
  maxAge?: number | undefined
  /** Which `acr` the sign-in should reach, the best first, with blanks between. Look at the `acr` of the ID token. */
  acrValues?: string | undefined
}

/** Plain texts, so that it can be kept as JSON. The verifier is a secret. */
export interface StartedAuthorization {
  /** Where the person's browser goes. */
  url: string
  redirectUri: string
  state: string
  codeVerifier: string
  nonce?: string
}

/** Throws ClientError when the issuer has no authorization endpoint or cannot be reached to find out. */
export async function beginAuthorization(
  context: ClientContext,
  request: AuthorizationRequest,
  signal?: AbortSignal,
): Promise<StartedAuthorization> {
  const { authorizationEndpoint } = await context.metadata.get(signal)
  if (authorizationEndpoint === undefined)
    throw new ClientError('malformed_answer', 'nobody can sign in at this issuer')
  const { redirectUri, prompt, loginHint, maxAge, acrValues } = request
  const { codeVerifier, codeChallenge } = await createPkce()
  const state = randomText()
  const nonce = scopeNames(request.scope).includes('openid') ? randomText() : undefined
  const url = new URL(authorizationEndpoint)
  const fields = {
    response_type: 'code',
    client_id: context.clientId,
    redirect_uri: redirectUri,
    ...requestFields(request),
    state,
    nonce,
    prompt,
    login_hint: loginHint,
    max_age: maxAge === undefined ? undefined : String(maxAge),
    acr_values: acrValues,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) url.searchParams.set(name, value)
  return { url: url.href, redirectUri, state, codeVerifier, ...(nonce === undefined ? {} : { nonce }) }
}

/**
 * Redeems the code of the address that the browser was sent to. Throws ClientError `not_this_request` for an answer to
 * another request or from another issuer, OAuthRefusal when the person or the server said no.
 */
export async function finishAuthorization(
  context: ClientContext,
  started: StartedAuthorization,
  callback: string | URL,
  signal?: AbortSignal,
): Promise<Tokens> {
  const code = await checkedCode(context, started, new URL(callback, started.redirectUri), signal)
  const { redirectUri, codeVerifier, nonce } = started
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier }
  const { tokens } = await requestTokens(context, fields, signal)
  return withClaims(context, tokens, nonce)
}

/** The tokens with the claims of their ID token, when there is one. Throws ClientError `id_token_invalid`. */
export function withClaims({ issuer, clientId, surroundings }: ClientContext, tokens: Tokens, nonce?: string): Tokens {
  if (tokens.idToken === undefined) return tokens
  const expected = { issuer, clientId, nonce, nowMs: surroundings.clock.wallMs() }
  return { ...tokens, claims: checkedClaims(tokens.idToken, expected) }
}

async function checkedCode(
  { issuer, metadata }: ClientContext,
  { redirectUri, state }: StartedAuthorization,
  callback: URL,
  signal: AbortSignal | undefined,
): Promise<string> {
  const expected = new URL(redirectUri)
  const field = (name: string) => {
    const [value, another] = callback.searchParams.getAll(name)
    if (another !== undefined) throw notThisRequest(`has several ${name}`)
    return value
  }
  if (callback.protocol !== expected.protocol || callback.host !== expected.host) throw notThisRequest('came elsewhere')
  if (callback.pathname !== expected.pathname) throw notThisRequest('came elsewhere')
  if (field('state') !== state) throw notThisRequest('has another state')
  const iss = field('iss')
  // RFC 9207 §2.4: an issuer that always names itself is not believed when it does not.
  const { namesIssuerInAnswers } = await metadata.get(signal)
  if (iss === undefined ? namesIssuerInAnswers : iss !== issuer) throw notThisRequest('is not of this issuer')
  const error = field('error')
  if (error !== undefined) throw refusedAt(error, field('error_description'), field('error_uri'))
  const code = field('code')
  if (code === undefined || code === '') throw notThisRequest('has no code')
  return code
}

function notThisRequest(why: string): ClientError {
  return new ClientError('not_this_request', `the answer ${why}`)
}

function refusedAt(error: string, description: string | undefined, errorUri: string | undefined): OAuthRefusal {
  return new OAuthRefusal({
    status: 302,
    error,
    ...(description === undefined ? {} : { description }),
    ...(errorUri === undefined ? {} : { errorUri }),
  })
}
