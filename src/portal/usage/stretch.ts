// The stretches of time that usage can be looked at in: the last hour, the last day, or some days.

import type { PortalContext } from '../context.js'

/** One of them. */
export interface Stretch {
  /** In the query of pages. */
  query: string
  /** On the switch. */
  text: string
  /** In a sentence: `in the last hour`. */
  words: string
  /** Days, or what the API calls it. */
  of: { days: number } | { last: '1h' | '24h' }
}

const recent = [
  { query: 'last=1h', text: 'Last hour', words: 'in the last hour', of: { last: '1h' } },
  { query: 'last=24h', text: '24 hours', words: 'in the last 24 hours', of: { last: '24h' } },
] as const satisfies readonly Stretch[]

const days = [7, 30, 90].map((count) => ({
  query: `days=${count}`,
  text: `${count} days`,
  words: `in the last ${count} days`,
  of: { days: count },
}))

/** All of them, the shortest first. */
export const stretches: readonly Stretch[] = [...recent, ...days]

/** The one that the page's address names; else thirty days. */
export function stretchOf({ query }: Pick<PortalContext, 'query'>): Stretch {
  const named = stretches.find(({ query: one }) => {
    const [name = '', value] = one.split('=')
    return query.get(name) === value
  })
  return named ?? (stretches.find(({ query: one }) => one === 'days=30') as Stretch)
}

/** The one of the overview: the last hour, or a day unless the address says so. */
export function recentStretchOf({ query }: Pick<PortalContext, 'query'>): (typeof recent)[number] {
  return query.get('last') === '1h' ? recent[0] : recent[1]
}
