// Which instances a command sees live that watches their rows.

import t from 'tap'
import { changedInstances, watchInstances } from '../../src/cluster/live-instances.js'
import type { InstanceRow } from '../../src/storage/sql/cluster/instances.js'

const row = (id: string, seenAt: number): InstanceRow => ({ id, name: id, startedAt: 1, seenAt, appliedSeq: 1 })

/** Watches for five seconds of a clock that only the pauses move. */
async function watched(rowsAt: (ms: number) => readonly InstanceRow[]) {
  let now = 0
  const { live } = await watchInstances({
    read: async () => rowsAt(now),
    forMs: 5_000,
    monotonic: () => now,
    async pause(ms) {
      now += ms
    },
  })
  return { live: live.map(({ id }) => id), after: now }
}

t.test('an instance lives whose row changes while it is watched, whatever its clock says', async (t) => {
  t.same(await watched(() => []), { live: [], after: 0 }, 'without rows there is nothing to wait for')
  t.same(await watched(() => [row('killed', 9)]), { live: [], after: 5_000 }, 'one that was killed')
  const slow = await watched((ms) => [row('killed', 9), row('slow clock', ms < 3_000 ? 1 : 2)])
  t.same(slow, { live: ['slow clock'], after: 3_000 })
  const joined = await watched((ms) => (ms < 1_000 ? [row('killed', 9)] : [row('killed', 9), row('new', 1)]))
  t.same(joined, { live: ['new'], after: 1_000 }, 'one whose row pg_restore removed, and which notes itself again')
  t.same(await watched((ms) => (ms < 1_000 ? [row('left', 9)] : [])), { live: [], after: 1_000 }, 'one that has left')
})

t.test('between two readings', async (t) => {
  t.same(changedInstances([row('a', 1)], [row('a', 1), row('b', 1)]), [row('b', 1)])
  t.same(changedInstances([row('a', 1)], []), [])
})
