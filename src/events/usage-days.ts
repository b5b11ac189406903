// The end of days, for billing (decision 0127). A day takes counts until every instance has written all that it counted
// on it; from then on what comes late counts for the next day, so a day that was told of never changes. Then the ledger
// gets a row for each tenant that hears of it, in one transaction with how far that has come: each once, also when the leader changes.

import { dayOf } from '../access/usage-sums.js'
import { appendAudit } from '../ledger/append-audit.js'
import type { Ledger } from '../ledger/ledger.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { lockUsageDays, readUsageDays, setUsageDays, type UsageDays } from '../storage/sql/usage/usage-days.js'
import { sumUsageRows } from '../storage/sql/usage/usage-lines.js'
import { readWritten } from '../storage/sql/usage/usage-written.js'
import { readWebhooks } from '../storage/sql/webhooks/webhooks.js'
import { linesOfPart } from './usage-of-day.js'
import { asksFor } from './webhook-rules.js'

const dayMs = 86_400_000
/** For an instance that is there and does not write. One that is gone leaves the list after an hour. */
const longestWaitMs = 6 * 3_600_000
/** Rows of the ledger in one transaction. */
const mostOfTransaction = 20
/** Transactions of one turn; the next goes on. */
const mostOfTurn = 500

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

/** The leader calls `turn` often: it ends what days are over, and tells of them. It throws StoreUnavailable. */
export function createUsageDays(deps: UsageDaysDependencies): { turn(): Promise<void> } {
  const { store, now, leader } = deps
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
      for (let done = 0; done < mostOfTurn && leader.isLeader(); done += 1) {
        if (!(await store.transaction((tx) => tell(tx, deps), 'first-lock'))) return
      }
    },
  }
}

/** Days before the first turn ended before anybody could be told of them. */
async function begin(tx: Statements, today: number): Promise<void> {
  const { open_day } = await lockUsageDays(tx)
  if (open_day === 0) await setUsageDays(tx, { open_day: today, next_day: today })
}

/** Tells some tenants of the next day, or goes on to the day after it; false: there is none that has ended. */
async function tell(tx: Statements, deps: UsageDaysDependencies): Promise<boolean> {
  const days = await lockUsageDays(tx)
  if (days.next_day >= days.open_day) return false
  const place = { tenant: days.next_tenant, part: days.next_part }
  const rows: { tenantId: string; details: Readonly<Record<string, unknown>> }[] = []
  for (const tenantId of await tenantsAfter(tx, place)) {
    const { rows: lines, allowed, ...sum } = await sumUsageRows(tx, { day: days.next_day, tenantId })
    const parts = Math.max(1, Math.ceil(lines / linesOfPart))
    const first = tenantId === place.tenant ? place.part : 1
    const last = Math.min(parts, first + mostOfTransaction - rows.length - 1)
    const { not_permitted: notPermitted, limited, token_refused: tokenRefused } = sum
    const counts = { allowed, notPermitted, limited, tokenRefused }
    const errors = { clientErrors: sum.client_errors, serverErrors: sum.server_errors }
    for (let part = first; part <= last; part += 1) {
      rows.push({ tenantId, details: { day: dayText(days.next_day), part, parts, ...counts, ...errors } })
    }
    Object.assign(place, { tenant: tenantId, part: last < parts ? last + 1 : 1 })
    if (rows.length >= mostOfTransaction) break
  }
  const isDone = rows.length === 0
  const next = isDone ? { next_day: days.next_day + 1, next_tenant: '', next_part: 1 } : undefined
  await setUsageDays(tx, next ?? { next_tenant: place.tenant, next_part: place.part })
  for (const row of rows) {
    await appendAudit({ ledger: deps.ledger, actor: { kind: 'system' } }, tx, { event: 'usage.day-ended', ...row })
  }
  return true
}

/** Those with a webhook that hears of it, in order, from the one on that has not heard all. */
async function tenantsAfter(tx: Statements, { tenant, part }: { tenant: string; part: number }): Promise<string[]> {
  const webhooks = await readWebhooks(tx, { enabled: true })
  const hearing = webhooks.filter(({ events }) => asksFor(events, 'usage.day_ended'))
  const tenants = new Set(hearing.map(({ tenant_id }) => tenant_id))
  // Its other parts are told also when its webhook has gone: nobody hears of them then.
  if (part > 1) tenants.add(tenant)
  const all = [...tenants].sort()
  return all.filter((id) => id > tenant || (part > 1 && id === tenant))
}

function lateText(day: number, instances: readonly string[]): string {
  const those = instances.join(', ')
  return `instance ${those} has not written its counts of ${dayText(day)}: what comes of them counts for a later day`
}

function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
