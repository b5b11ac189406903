// Whose events the activity log keeps one by one: so many in an hour of one address, and so many about one person or
// application. The log forgets the oldest, so a caller that could fill it could make it forget what people need. What
// comes beyond is added up, and written as one event with a number.

import type { Attempt } from './ledger.js'

const hourMs = 3_600_000
/**
 * In an hour. `nobody`: about no person and no application that is known; `others`: of addresses beyond those
 * remembered.
 */
const most = { address: 60, subject: 200, nobody: 500, others: 500 } as const
/** What is remembered of an hour. */
const mostKeys = 20_000
/** Sums at a time, and how long one is added up. */
const mostSums = 1_000
const sumMs = 600_000

export interface Shares {
  /** `keep` it; `added` to a sum; `lost`: there is no room for another sum. */
  take(event: Attempt, at: number): 'keep' | 'added' | 'lost'
  /** The sums that are due, all of them with `last`, each as an event; they begin anew. */
  due(at: number, last: boolean): Attempt[]
}

/** Nothing counted yet. `groupOf`: whom an address stands for. */
export function createShares(groupOf: (address: string) => string): Shares {
  const counts = new Map<string, number>()
  const sums = new Map<string, { event: Attempt; count: number; since: number }>()
  let hour = 0

  const isOver = (key: string, limit: number): boolean => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count > limit
  }
  const add = (key: string, event: Attempt, at: number): 'added' | 'lost' => {
    const sum = sums.get(key)
    if (sum === undefined && sums.size >= mostSums) return 'lost'
    sums.set(key, { event, count: (sum?.count ?? 0) + 1, since: sum?.since ?? at })
    return 'added'
  }
  return {
    take(event, at) {
      // What this server notes of itself comes from no address.
      if (event.address === undefined) return 'keep'
      if (Math.floor(at / hourMs) !== hour) counts.clear()
      hour = Math.floor(at / hourMs)
      const { address, userId, applicationId, tenantId } = event
      const group = groupOf(address)
      const own = `a ${group}`
      const isKnown = counts.has(own) || counts.size < mostKeys
      if (isOver(isKnown ? own : 'others', isKnown ? most.address : most.others)) {
        return add(JSON.stringify([event.event, isKnown ? group : '']), { event: event.event, address: group }, at)
      }
      const subject = userId ?? applicationId
      const about = subject !== undefined && (counts.has(`s ${subject}`) || counts.size < mostKeys)
      if (!isOver(about ? `s ${subject}` : 'nobody', about ? most.subject : most.nobody)) return 'keep'
      const sum = about ? { event: event.event, userId, applicationId, tenantId } : { event: event.event }
      return add(JSON.stringify([event.event, 'about', about ? subject : '']), sum, at)
    },
    due(at, last) {
      const ready = [...sums].filter(([, { since }]) => last || at - since >= sumMs)
      for (const [key] of ready) sums.delete(key)
      return ready.map(([, { event, count, since }]) => {
        return { ...event, details: { repeated: count, since: new Date(since).toISOString() } }
      })
    },
  }
}
