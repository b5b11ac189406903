// An instance on a Store of its own, SQLite: nobody else is there, so it leads, and there is nothing to take part in.

import type { Leader } from './leader.js'
import type { Membership } from './membership.js'

export const singleInstanceLeader: Leader = Object.freeze({
  isLeader: () => true,
  /** There is no row that could name it. */
  holder: () => Promise.resolve(undefined),
  begin: () => {},
  end: () => Promise.resolve(),
})

/** One instance, without a row. Times in epoch milliseconds. */
export function singleInstanceMembership(self: { id: string; name: string; startedAt: number }): Membership {
  return {
    instanceId: self.id,
    count: () => 1,
    members: () => [{ ...self, seenAt: self.startedAt, appliedSeq: 0 }],
    clockDifferences: () => [],
    skewMs: () => 0,
    begin: () => Promise.resolve(),
    end: () => {},
  }
}
