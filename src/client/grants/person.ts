// A person's access token, renewed by their refresh token (RFC 6749 §6). Each use of a refresh token ends it and gives
// the next one, so there is one use at a time, it is carried to its end, and what it gave is kept before anybody gets
// it.

import { ClientError, OAuthRefusal } from '../errors.js'
import { markNow } from '../surroundings.js'
import type { Obtained } from '../tokens/kept-fresh.js'
import { type ClientContext, requestTokens } from '../tokens/token-endpoint.js'
import { createTokenSource, obtainedToken } from '../tokens/token-source.js'
import type { HeldTokens, TokenStore } from '../tokens/token-store.js'
import type { AccessToken, TokenSource } from '../tokens/tokens.js'

/** A token that another process has left is used when it is good for so long. */
const leastLeftMs = 30_000
/** When an answer was lost, the request is soon sent again: the server repeats the answer for half a minute. */
const secondTryMs = 500

/** A source over what the store holds. */
export function createPerson(context: ClientContext, store: TokenStore): TokenSource {
  const { surroundings } = context
  let rejected: string | undefined
  const obtain = async (): Promise<Obtained<AccessToken>> => {
    const exclusively = store.exclusively?.bind(store) ?? (<T>(work: () => Promise<T>) => work())
    return await exclusively(async () => {
      const held = await store.read()
      if (held === undefined) throw signInRequired('nobody is signed in')
      const leftMs = held.expiresAt - surroundings.clock.wallMs()
      if (held.accessToken !== rejected && leftMs > leastLeftMs) {
        const since = { requestedAt: markNow(surroundings.clock), lifetimeMs: leftMs }
        return obtainedToken(accessTokenOf(held), since, surroundings.random)
      }
      return await renew(context, store, held)
    })
  }
  const source = createTokenSource(obtain, surroundings, {
    toTheEnd: true,
    rejected: (accessToken) => {
      rejected = accessToken
    },
  })
  return source
}

async function renew(context: ClientContext, store: TokenStore, held: HeldTokens): Promise<Obtained<AccessToken>> {
  const { refreshToken } = held
  if (refreshToken === undefined) throw signInRequired('the sign-in has ended, and there is no refresh token')
  try {
    const issued = await refresh(context, refreshToken)
    const { accessToken, expiresAt, scope = held.scope, refreshToken: next = refreshToken } = issued.tokens
    const kept = { accessToken, expiresAt, refreshToken: next, ...(scope === undefined ? {} : { scope }) }
    await store.write(kept)
    return obtainedToken(accessTokenOf(kept), issued, context.surroundings.random)
  } catch (error) {
    if (!(error instanceof OAuthRefusal) || error.error !== 'invalid_grant') throw error
    await store.write(undefined)
    throw signInRequired(error.message, error)
  }
}

async function refresh(context: ClientContext, refreshToken: string) {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken }
  try {
    return await requestTokens(context, fields)
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'unreachable') throw error
    await context.surroundings.clock.wait(secondTryMs)
    return await requestTokens(context, fields)
  }
}

function accessTokenOf({ accessToken, expiresAt, scope }: HeldTokens): AccessToken {
  return { accessToken, expiresAt, ...(scope === undefined ? {} : { scope }) }
}

function signInRequired(message: string, cause?: unknown): ClientError {
  return new ClientError('sign_in_required', message, cause === undefined ? {} : { cause })
}
