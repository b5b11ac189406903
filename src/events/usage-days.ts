// The end of days, for billing (decision 0127). A day takes counts until every instance has written all that it counted
// on it; from then on what comes late counts for the next day, so a day that was told of never changes. Then tenants are
// told of it (tell-of-days.ts).

import { dayOf } from '../access/usage-sums.js'
import type { Ledger } from '../ledger/ledger.js'
import type { Metrics } from '../observability/metrics.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { lockUsageDays, readUsageDays, setUsageDays, type UsageDays } from '../storage/sql/usage/usage-days.js'
import { readWritten } from '../storage/sql/usage/usage-written.js'
import { tellOfDays } from './tell-of-days.js'
import { dayText } from './usage-of-day.js'

const dayMs = 86_400_000
/** For an instance that is there and does not write. One that is gone leaves the list after an hour. */
const longestWaitMs = 6 * 3_600_000

export interface UsageDaysDependencies {
  store: Pick<Store, 'reader' | 'transaction'>
  ledger: Ledger
  /** Of this instance, which may have no row among the instances. */
  instanceId: string
  leader: { isLeader(): boolean }
  /** Epoch milliseconds. */
  now: () => number
  /** Hears of a day that ended without the counts of an instance that is there. */
  onError: (error: unknown) => void
}

export interface MeasureDependencies extends Pick<UsageDaysDependencies, 'leader' | 'now'> {
  store: Pick<Store, 'reader'>
  metrics: Pick<Metrics, 'usageDayWait'>
}

/** The leader calls `turn` often: it ends what days are over, and tells of them. It throws StoreUnavailable. */
export function createUsageDays(deps: UsageDaysDependencies): { turn(): Promise<void> } {
  const { store, now } = deps
  /** Since when this instance has waited for that day to end. */
  let waiting = { day: 0, sinceMs: 0 }

  async function endDays({ open_day }: UsageDays): Promise<void> {
    if (waiting.day !== open_day) waiting = { day: open_day, sinceMs: now() }
    const today = dayOf(now())
    const written = await readWritten(store.reader, deps.instanceId)
    const complete = Math.min(today, ...written.map(({ day }) => day))
    const isOver = now() - waiting.sinceMs >= longestWaitMs
    const next = isOver ? Math.max(complete, open_day + 1) : complete
    if (next <= open_day) return
    const late = written.filter(({ day }) => day < next).map(({ id }) => id)
    if (late.length > 0) deps.onError(new Error(lateText(next - 1, late)))
    await store.transaction(async (tx) => {
      if ((await lockUsageDays(tx)).open_day < next) await setUsageDays(tx, { open_day: next })
    }, 'first-lock')
  }

  return {
    async turn() {
      const days = await readUsageDays(store.reader)
      const today = dayOf(now())
      if (days.open_day === 0) return store.transaction((tx) => begin(tx, today), 'first-lock')
      if (days.open_day < today) await endDays(days)
      await tellOfDays(deps)
    },
  }
}

/**
 * Sets the gauge: how long the oldest day that is over has waited to be ended and told of; 0 when none waits. An instance
 * that does not lead says 0. Throws StoreUnavailable.
 */
export async function measureUsageDays({ store, leader, now, metrics }: MeasureDependencies): Promise<void> {
  metrics.usageDayWait.reset()
  if (!leader.isLeader()) return
  const { open_day, next_day } = await readUsageDays(store.reader)
  const waitedMs = open_day === 0 ? 0 : now() - (next_day + 1) * dayMs
  metrics.usageDayWait.set(Math.max(0, waitedMs) / 1000)
}

/** Days before the first turn ended before anybody could be told of them. */
async function begin(tx: Statements, today: number): Promise<void> {
  const { open_day } = await lockUsageDays(tx)
  if (open_day === 0) await setUsageDays(tx, { open_day: today, next_day: today })
}

function lateText(day: number, instances: readonly string[]): string {
  const those = instances.join(', ')
  return `instance ${those} has not written its counts of ${dayText(day)}: what comes of them counts for a later day`
}
