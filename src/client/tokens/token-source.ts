// One access token, kept as long as it lasts. The next one is got early, at a moment that differs from client to
// client, so that a thousand processes started together do not come back together.

import { elapsedMs, type Mark, markNow, type Surroundings } from '../surroundings.js'
import { keepFresh, type Obtained } from './kept-fresh.js'
import type { AccessToken, IssuedTokens, TokenSource } from './tokens.js'

/** The last part of its life in which the next one is got: a fifth of it, at most five minutes. */
const earlyShare = 0.2
const mostEarlyMs = 300_000
/** The way to the resource: a token is not sent off when it ends before it arrives. */
const travelMs = 1000
/** Between two tokens that are got because a resource refused the one before. */
const rejectionPauseMs = 1000

/**
 * A source that gets its token by `obtain`; `rejected` is told which one a resource refused. `toTheEnd`: see
 * kept-fresh.ts.
 */
export function createTokenSource<T extends AccessToken>(
  obtain: (signal: AbortSignal) => Promise<Obtained<T>>,
  surroundings: Pick<Surroundings, 'clock' | 'random'>,
  options: { toTheEnd?: boolean; rejected?: (accessToken: string) => void } = {},
): TokenSource {
  const { clock } = surroundings
  const kept = keepFresh(obtain, surroundings, options)
  let lastRejection: Mark | undefined
  return {
    token: ({ signal } = {}) => kept.get(signal),
    reject(accessToken) {
      let isCurrent = false
      const soon = lastRejection !== undefined && elapsedMs(clock, lastRejection) < rejectionPauseMs
      kept.drop((token) => {
        isCurrent = token.accessToken === accessToken
        return isCurrent && !soon
      })
      // Somebody else said so before, and there is another one already, or on its way.
      if (!isCurrent) return true
      if (soon) return false
      lastRejection = markNow(clock)
      options.rejected?.(accessToken)
      return true
    },
  }
}

/** An answer of the token endpoint with the times that follow from it. */
export function obtainedToken<T>(
  value: T,
  { requestedAt, lifetimeMs }: Pick<IssuedTokens, 'requestedAt' | 'lifetimeMs'>,
  random: () => number,
): Obtained<T> {
  const endsAfterMs = lifetimeMs - Math.min(travelMs, lifetimeMs * 0.1)
  const earlyMs = Math.min(mostEarlyMs, lifetimeMs * earlyShare) * (0.5 + random() / 2)
  return { value, since: requestedAt, refreshAfterMs: Math.min(lifetimeMs - earlyMs, endsAfterMs), endsAfterMs }
}
