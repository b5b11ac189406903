// The token endpoint (RFC 6749 §5): one request with the client's proof, read strictly.

import type { IssuerMetadata } from '../discovery.js'
import { ClientError, OAuthRefusal } from '../errors.js'
import { type ExchangeAnswer, exchange } from '../exchange.js'
import type { Authenticate } from '../grants/client-authentication.js'
import { markNow, type Surroundings } from '../surroundings.js'
import type { KeptFresh } from './kept-fresh.js'
import type { IssuedTokens, Tokens } from './tokens.js'

/** What every request of one client needs. */
export interface ClientContext {
  issuer: string
  clientId: string
  surroundings: Surroundings
  metadata: KeptFresh<IssuerMetadata>
  authenticate: Authenticate
}

export type Fields = Readonly<Record<string, string | undefined>>

/** Asks for tokens. `fields` without a value are left out. Throws OAuthRefusal, ClientError, the signal's reason. */
export async function requestTokens(
  context: ClientContext,
  fields: Fields,
  signal?: AbortSignal,
): Promise<IssuedTokens> {
  const { tokenEndpoint } = await context.metadata.get(signal)
  const requestedAt = markNow(context.surroundings.clock)
  const answer = await postAsClient(context, tokenEndpoint, fields, signal)
  if (answer.status !== 200) throw refusalOf(answer)
  const lifetimeMs = lifetimeOf(answer.body) * 1000
  return { tokens: { ...tokensOf(answer.body), expiresAt: requestedAt.wallMs + lifetimeMs }, requestedAt, lifetimeMs }
}

/** One request of the client to an endpoint of the issuer, with its proof. Throws ClientError, the signal's reason. */
export async function postAsClient(
  { surroundings, authenticate }: ClientContext,
  url: string,
  fields: Fields,
  signal?: AbortSignal,
): Promise<ExchangeAnswer> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  const headers = await authenticate(form)
  return await exchange(surroundings, { url, form, headers, signal })
}

/** The refusal that an answer other than 200 is (RFC 6749 §5.2). */
export function refusalOf({ status, body, requestId, retryAfterSeconds }: ExchangeAnswer): ClientError {
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : undefined)
  const error = text('error')
  if (error === undefined && status !== 429 && status !== 503) {
    return new ClientError('malformed_answer', `the server answered ${status} without saying why`)
  }
  const said = {
    description: text('error_description'),
    errorUri: text('error_uri'),
    suberror: text('suberror'),
    consentUri: text('consent_uri'),
    requestId: requestId ?? text('trace_id'),
    retryAfterSeconds,
  }
  const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  return new OAuthRefusal({ status, error: error ?? 'temporarily_unavailable', ...given })
}

function lifetimeOf({ expires_in }: Record<string, unknown>): number {
  if (typeof expires_in === 'number' && Number.isFinite(expires_in) && expires_in > 0) return expires_in
  throw new ClientError('malformed_answer', 'the token comes without expires_in')
}

function tokensOf(body: Record<string, unknown>): Omit<Tokens, 'expiresAt'> {
  const { access_token: accessToken, token_type: type, scope, refresh_token: refreshToken, id_token: idToken } = body
  if (typeof accessToken !== 'string' || accessToken === '') {
    throw new ClientError('malformed_answer', 'there is no access token in the answer')
  }
  // Sending a token of another type as Bearer would give away what it was bound to (RFC 6749 §7.1).
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new ClientError('malformed_answer', 'the token is of a type that is not known here')
  }
  return {
    accessToken,
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(typeof refreshToken === 'string' ? { refreshToken } : {}),
    ...(typeof idToken === 'string' ? { idToken } : {}),
  }
}
