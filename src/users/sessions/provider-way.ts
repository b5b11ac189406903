// The way of a session that came from a provider: how it is written, and read.

const through = 'provider:'

/** The way of a session that came from a provider, as Session has it. */
export function wayThrough(provider: string): string {
  return `${through}${provider}`
}

/** The name of the provider that a session came through; undefined for one of this server's own ways. */
export function providerOfWay(way: string): string | undefined {
  return way.startsWith(through) ? way.slice(through.length) : undefined
}
