// What applications called: thirty days by day, the last day by quarters of an hour, the last hour by minutes, and what
// was decided about the last calls of some of them.

import { randomUUID } from 'node:crypto'
import { emptySlot, noRequests, type Slot } from '../../../../src/history/slot.js'
import { addCalls, addRoute, addTotal } from '../../../../src/history/slot-sums.js'
import { slotText } from '../../../../src/history/slot-text.js'
import { daySlots, hourSlots, slotTimes } from '../../../../src/history/slots.js'
import { totalNames } from '../../../../src/history/traffic.js'
import { writeHistory } from '../../../../src/storage/sql/history/history.js'
import type { DecisionRow } from '../../../../src/storage/sql/ledger/recorded-decisions.js'
import type { Statements, Store } from '../../../../src/storage/sql/store.js'

const dayMs = 86_400_000
const routes = [
  'GET /api/v2/me',
  'GET /api/v2/subscriptions',
  'POST /api/v2/subscriptions',
  'GET /api/v2/resourceGroups',
]
const permissions = ['User.Read.All', 'Subscription.Read.All', 'Subscription.ReadWrite.All', 'ResourceGroup.Read.All']
const inOneStatement = 50

interface Callers {
  tenantId: string
  applications: readonly string[]
  /** The resource of the gate. */
  resource: string
}

/** Writes all of it. */
export async function addTraffic(store: Store, callers: Callers): Promise<void> {
  const { tenantId, applications } = callers
  const today = Math.floor(Date.now() / dayMs)
  const calls = applications.flatMap((id, at) =>
    [0, 1].flatMap((more) =>
      Array.from({ length: 30 }, (_, back) => ({
        ...{ application_id: id, tenant_id: tenantId, day: today - back },
        ...{ route: routes[(at + more) % routes.length] ?? '', allowed: (at + 1) * (40 + ((back * 13) % 29)) },
        ...{ not_permitted: (at + back) % 7, limited: (at * back) % 11, token_refused: back % 3 },
        ...{ client_errors: at % 5, server_errors: (at + back) % 4 },
      })),
    ),
  )
  const uses = applications.map((id, at) => ({
    ...{ application_id: id, tenant_id: tenantId, kind: 'application', resource: callers.resource },
    ...{ permission_id: permissions[at % permissions.length] ?? '', day: today - (at % 5), uses: (at + 1) * 41 },
    ...{ first_used_at: (today - 5) * dayMs, last_used_at: Date.now() - at * 3_600_000 },
  }))
  await store.transaction(async (tx) => {
    for (const some of inParts(calls)) await tx.insertInto('route_usage').values(some).execute()
    for (const some of inParts(uses)) await tx.insertInto('permission_usage').values(some).execute()
    for (const some of inParts(decisionsOf(callers))) await tx.insertInto('recorded_decisions').values(some).execute()
    await addHistory(tx, callers)
  })
}

export function inParts<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / inOneStatement)
  return Array.from({ length: count }, (_, part) => rows.slice(part * inOneStatement, (part + 1) * inOneStatement))
}

/** As another instance wrote it. */
async function addHistory(tx: Statements, callers: Callers): Promise<void> {
  const rows = [hourSlots, daySlots].flatMap((slots) =>
    slotTimes(slots, Date.now()).map((at, place) => ({
      ...{ slot_seconds: slots.slotSeconds, at, instance_id: 'elsewhere' },
      body: slotText(busySlot(at, callers, (slots.slotSeconds / 60) * (2 + Math.sin(place / 9)))),
    })),
  )
  for (const some of inParts(rows)) await writeHistory(tx, some)
}

/** More or less of everything, by `weight`. */
function busySlot(at: number, { tenantId, applications }: Callers, weight: number): Slot {
  const slot = emptySlot(at)
  const counts = [9, 1, 1, 0, 1, 0.5].map((count) => Math.round(count * weight))
  for (const [place, applicationId] of applications.entries()) {
    const series = { tenantId, applicationId, routeId: routes[place % routes.length] ?? '' }
    addCalls(
      slot,
      (tenant, application, routeId) => ({ tenantId: tenant, applicationId: application, routeId }),
      series,
      counts,
    )
  }
  for (const route of [...routes, 'token', 'portal-applications']) {
    const sums = noRequests()
    sums.requests = Math.round(200 * weight)
    sums.clientErrors = Math.round(12 * weight)
    sums.serviceErrors = Math.round(2 * weight)
    for (const [bucket, part] of [5, 20, 60, 80, 25, 6, 3, 1].entries())
      sums.latency[bucket] = Math.round(part * weight)
    addRoute(slot, route, sums)
  }
  addTotal(slot, `${totalNames.signIn}signed_in`, Math.round(6 * weight))
  addTotal(slot, `${totalNames.signIn}failed`, Math.round(weight))
  addTotal(slot, `${totalNames.limited}application`, Math.round(3 * weight))
  addTotal(slot, `${totalNames.token}granted`, Math.round(40 * weight))
  return slot
}

function decisionsOf({ tenantId, applications }: Callers): DecisionRow[] {
  return applications.slice(0, 5).flatMap((applicationId) =>
    Array.from({ length: 60 }, (_, index): DecisionRow => {
      const [method = '', path = ''] = (routes[index % routes.length] ?? '').split(' ')
      const about = {
        ...{ id: randomUUID(), at: Date.now() - index * 240_000, application_id: applicationId, proved: 1 },
        ...{ request_id: randomUUID().replaceAll('-', '').slice(0, 26), tenant_id: tenantId, user_id: null },
      }
      const token = { what: 'token', outcome: 'granted', reason: 'granted', status: 200, number: null, route: 'token' }
      if (index % 6 === 0) {
        return { ...about, ...token, method: 'POST', grant_type: 'client_credentials', permissions: 'User.Read.All' }
      }
      const isLimited = index % 5 === 0
      return {
        ...{ ...about, what: 'call', outcome: 'refused', reason: isLimited ? 'rate_limited' : 'insufficient_scope' },
        ...{ status: isLimited ? 429 : 403, number: null, route: `${method} ${path}`, method, grant_type: null },
        permissions: isLimited ? '' : (permissions[index % permissions.length] ?? ''),
      }
    }),
  )
}
