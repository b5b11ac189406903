// What the row of an instance says of its life, whatever the clocks.

import type { InstanceRow } from './instances.js'

/** Whether an instance has not noted itself between two readings of its row. */
export function isSameSign(before: InstanceRow, now: InstanceRow): boolean {
  return before.seenAt === now.seenAt && before.appliedSeq === now.appliedSeq && before.startedAt === now.startedAt
}
