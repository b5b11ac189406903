// The way of a session that came from a provider: how it is written, and read.

import type { PresentWays } from '../../storage/sql/people/sign-in-upkeep.js'

const through = 'provider:'

/** The way of a session that came from a provider, as Session has it. */
export function wayThrough(provider: string): string {
  return `${through}${provider}`
}

/** The ways of sessions that there are, for the Store: through these providers, and all of this server's own. */
export function presentWays(providers: Pick<ReadonlyMap<string, unknown>, 'keys'>): PresentWays {
  return { prefix: through, are: [...providers.keys()].map(wayThrough) }
}

/** The name of the provider that a session came through; undefined for one of this server's own ways. */
export function providerOfWay(way: string): string | undefined {
  return way.startsWith(through) ? way.slice(through.length) : undefined
}
