// Telling of days that have ended: a row of the ledger for each tenant that hears of it, in one transaction with how far
// that has come. So each is told once, also when the leader changes. What a row says is read before: an ended day changes
// no more. Whatever there is, a step reads and writes little, and others have their turn after it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { appendAudit } from '../ledger/append-audit.js'
import type { Ledger } from '../ledger/ledger.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { lockUsageDays, readUsageDays, setUsageDays, type UsageDays } from '../storage/sql/usage/usage-days.js'
import { addedCalls, sumUsageRows, type UsageCounts } from '../storage/sql/usage/usage-lines.js'
import { hearingFrom } from '../storage/sql/webhooks/hearing.js'
import { dayText, linesOfPart } from './usage-of-day.js'
import { asksFor } from './webhook-rules.js'

/** Rows of the ledger in one transaction. */
const mostOfTransaction = 10
/** Steps of one turn; the next goes on. */
const mostOfTurn = 2_000
/** Webhooks that are read at once; no tenant has as many. */
const webhooksAtOnce = 500

export interface TellDependencies {
  store: Pick<Store, 'reader' | 'transaction'>
  ledger: Ledger
  leader: { isLeader(): boolean }
}

/** Who hears of days, in a stretch of the tenants. */
interface Stretch {
  /** The first tenant that may be in it. */
  from: string
  /** The last one; undefined: it goes to the end. */
  upTo: string | undefined
  tenants: readonly string[]
}

/** A day in all its parts, for one tenant. */
interface WholeDay {
  key: string
  parts: number
  counts: Omit<UsageCounts, 'rows'>
}

/** Tells of the days that have ended, as far as one turn goes. Throws StoreUnavailable. */
export async function tellOfDays(deps: TellDependencies): Promise<void> {
  const { store, leader } = deps
  let stretch: Stretch | undefined
  let whole: WholeDay | undefined
  for (let done = 0; done < mostOfTurn && leader.isLeader(); done += 1) {
    const place = await readUsageDays(store.reader)
    if (place.next_day >= place.open_day) return
    if (stretch === undefined || !isIn(place, stretch)) stretch = await stretchFrom(store.reader, place)
    const step: Step = { rows: [], next: afterStretch(place, stretch) }
    for (const tenantId of tenantsOf(place, stretch)) {
      if (step.rows.length >= mostOfTransaction) break
      const key = `${place.next_day} ${tenantId}`
      if (whole?.key !== key) whole = await wholeDay(store.reader, { day: place.next_day, tenantId }, key)
      addParts(step, place, tenantId, whole)
    }
    await store.transaction((tx) => write(tx, deps, place, step), 'first-lock')
    await nextTurn()
  }
}

/** Rows of the ledger, and where telling stands after them. */
interface Step {
  rows: { tenantId: string; details: Readonly<Record<string, unknown>> }[]
  next: Partial<UsageDays>
}

/** Nothing where another instance, which leads now, was there before. */
async function write(tx: Statements, { ledger }: TellDependencies, place: UsageDays, step: Step): Promise<void> {
  const now = await lockUsageDays(tx)
  const isThere = now.next_day === place.next_day && now.next_tenant === place.next_tenant
  if (!isThere || now.next_part !== place.next_part) return
  await setUsageDays(tx, step.next)
  for (const row of step.rows) {
    await appendAudit({ ledger, actor: { kind: 'system' } }, tx, { event: 'usage.day-ended', ...row })
  }
}

function addParts(step: Step, place: UsageDays, tenantId: string, { parts, counts }: WholeDay): void {
  const first = tenantId === place.next_tenant ? place.next_part : 1
  const last = Math.min(parts, first + mostOfTransaction - step.rows.length - 1)
  const { allowed, not_permitted: notPermitted, limited, token_refused: tokenRefused } = counts
  const errors = { clientErrors: counts.client_errors, serverErrors: counts.server_errors }
  for (let part = first; part <= last; part += 1) {
    const details = {
      day: dayText(place.next_day),
      part,
      parts,
      allowed,
      notPermitted,
      limited,
      tokenRefused,
      ...errors,
    }
    step.rows.push({ tenantId, details })
  }
  step.next = { next_tenant: tenantId, next_part: last < parts ? last + 1 : 1 }
}

/** From the one on that has not heard all. Its other parts are told also when its webhook has gone: nobody hears of them. */
function* tenantsOf({ next_tenant: tenant, next_part: part }: UsageDays, { tenants }: Stretch): Generator<string> {
  if (part > 1) yield tenant
  for (const id of tenants) if (id > tenant) yield id
}

/** The place when nobody in the stretch is left. */
function afterStretch({ next_day }: UsageDays, { upTo }: Stretch): Partial<UsageDays> {
  if (upTo !== undefined) return { next_tenant: upTo, next_part: 1 }
  return { next_day: next_day + 1, next_tenant: '', next_part: 1 }
}

function isIn({ next_tenant: tenant }: UsageDays, { from, upTo }: Stretch): boolean {
  return tenant >= from && (upTo === undefined || tenant < upTo)
}

async function stretchFrom(statements: Statements, { next_tenant: from }: UsageDays): Promise<Stretch> {
  const webhooks = await hearingFrom(statements, from, webhooksAtOnce)
  const isFull = webhooks.length === webhooksAtOnce
  const ids = [...new Set(webhooks.map(({ tenant_id }) => tenant_id))]
  // The webhooks of the last one may go on behind the stretch.
  const whole = isFull ? ids.slice(0, -1) : ids
  const hearing = new Set(
    webhooks.filter(({ events }) => asksFor(events, 'usage.day_ended')).map((one) => one.tenant_id),
  )
  return { from, upTo: isFull ? whole.at(-1) : undefined, tenants: whole.filter((id) => hearing.has(id)) }
}

async function wholeDay(statements: Statements, of: { day: number; tenantId: string }, key: string): Promise<WholeDay> {
  let { after, ...sum } = await sumUsageRows(statements, of)
  while (after !== undefined) {
    await nextTurn()
    const more = await sumUsageRows(statements, { ...of, after })
    sum = { ...addedCalls(sum, more), rows: sum.rows + more.rows }
    after = more.after
  }
  const { rows, ...counts } = sum
  return { key, parts: Math.max(1, Math.ceil(rows / linesOfPart)), counts }
}
