// How long a request may wait for a place, for a connection, for all of its answer, and for a client that reads slowly.
// Checked at each tick of the register of open streams, so that no request needs a clock of its own.

import type { RoutePlan } from '../routes/snapshot.js'
import type { Place } from '../upstreams/room.js'

/** How far a request has come; all times by performance.now(). */
export interface Progress {
  since: number
  /** When it got its place; undefined: it waits for one. */
  startedAt: number | undefined
  /** A connection to the upstream took it. */
  connected: boolean
  /** Since when the client has not taken what it was sent. */
  stalledAt: number | undefined
}

export type Overdue = 'upstream_queue' | 'caller_in_flight' | 'overall_timeout' | 'client_stalled'

/** Why it must end now; undefined: it may go on. `stallMs`: how long a client may leave unread what it was sent. */
export function overdue(
  progress: Progress,
  plan: Pick<RoutePlan, 'overallMs' | 'room' | 'upstream'>,
  { place, stallMs, now }: { place: Place | undefined; stallMs: number; now: number },
): Overdue | undefined {
  const { since, startedAt, connected, stalledAt } = progress
  const { upstream, overallMs, room } = plan
  if (overallMs > 0 && now - since > overallMs) return 'overall_timeout'
  if (startedAt === undefined) {
    if (now - since <= upstream.queueMs) return undefined
    return place?.waitsFor() === 'share' ? 'caller_in_flight' : 'upstream_queue'
  }
  // It may wait behind another one in the pool of its target; a connection that does not come to stand has its own
  // time.
  if (!connected && now - startedAt > upstream.queueMs + upstream.settings.connectMs) return 'upstream_queue'
  // While others wait, a client has less time.
  const patienceMs = room.waiting > 0 ? stallMs / 3 : stallMs
  return stalledAt !== undefined && now - stalledAt > patienceMs ? 'client_stalled' : undefined
}
