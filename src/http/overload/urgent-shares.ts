// How much of what is let in ahead of its time one client may have, and one kind of request. Urgency follows from the
// route before anybody is authenticated, so everybody may claim it: what goes beyond a share is as urgent as a call.

export interface UrgentShares {
  /**
   * Whether one that weighs so much is within the shares, and counts it. `perMs`: what may be let in of all, in the same
   * unit.
   */
  take(kind: string, client: string, load: { weight: number; perMs: number; atMs: number }): boolean
}

/** Of what may be let in. */
const [ofClient, ofKind] = [0.1, 0.75] as const
/** A client's share is counted in seconds, a kind's evenly: all that may come in a second would come at its begin. */
const [clientMs, kindBurstMs] = [1_000, 100] as const
/** Where those are less. */
const [leastOfClient, leastOfKind] = [16, 16] as const
/** Clients that are told apart at a time; those beyond are one between them. */
const mostClients = 10_000

interface Kind {
  room: number
  refilledAt: number
  clients: Map<string, number>
}

/** Nothing is counted yet. */
export function createUrgentShares(): UrgentShares {
  const kinds = new Map<string, Kind>()
  let clients = 0
  let endsAt = 0
  const kindOf = (name: string, atMs: number): Kind => {
    if (atMs >= endsAt) {
      for (const one of kinds.values()) one.clients.clear()
      clients = 0
      endsAt = atMs + clientMs
    }
    const known = kinds.get(name)
    if (known !== undefined) return known
    const made = { room: Number.POSITIVE_INFINITY, refilledAt: atMs, clients: new Map<string, number>() }
    kinds.set(name, made)
    return made
  }
  return {
    take(name, client, { weight, perMs, atMs }) {
      const kind = kindOf(name, atMs)
      const refilled = kind.room + ofKind * perMs * Math.max(0, atMs - kind.refilledAt)
      kind.room = Math.min(refilled, Math.max(leastOfKind, ofKind * perMs * kindBurstMs))
      kind.refilledAt = Math.max(kind.refilledAt, atMs)
      const isKnown = kind.clients.has(client)
      const key = isKnown || clients < mostClients ? client : ''
      if (!isKnown) clients += 1
      const taken = (kind.clients.get(key) ?? 0) + weight
      if (kind.room < weight || taken > Math.max(leastOfClient, ofClient * perMs * clientMs)) return false
      kind.clients.set(key, taken)
      kind.room -= weight
      return true
    },
  }
}
