// A tenant that has been there for a while: hundreds of applications with access and usage, thousands of events in the
// audit log, and a day of traffic.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptySlot, noRequests, type Slot } from '../../../src/history/slot.js'
import { addCalls, addRoute, addTotal } from '../../../src/history/slot-sums.js'
import { slotText } from '../../../src/history/slot-text.js'
import { daySlots, hourSlots, slotTimes } from '../../../src/history/slots.js'
import { totalNames } from '../../../src/history/traffic.js'
import { createLedger } from '../../../src/ledger/chain.js'
import type { LedgerEvent } from '../../../src/ledger/ledger.js'
import { createLedgerKeys } from '../../../src/ledger/ledger-keys.js'
import { writeHistory } from '../../../src/storage/sql/history/history.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { addApplications } from '../storage/many-applications.js'

const dayMs = 86_400_000
const routes = ['GET /api/v2/me', 'GET /api/v2/subscriptions', 'POST /api/v2/subscriptions']
const trades = ['Payroll', 'Warehouse', 'Ledger export', 'Travel desk', 'Fleet', 'Newsletter', 'Billing', 'Archive']
const places = ['Zürich', 'São Paulo', '東京', 'Kraków', 'Nairobi', 'Reykjavík', 'Aberdeen']
const words = ['application.changed', 'secret.created', 'consent.granted', 'application.registered'] as const
const inOneStatement = 50

/** How much there is. */
export interface Fill {
  applications: number
  events: number
}

/** Fills the first tenant of a program that was stopped; `folder` is its data. */
export async function fillTenant(folder: string, fill: Fill): Promise<void> {
  const file = join(folder, 'portcullis.db')
  await addApplications(file, fill.applications)
  const store = await openSqliteStore({ file, busyTimeoutMs: 30_000 })
  try {
    const ids = await nameApplications(store)
    await addEvents(store, folder, ids, fill.events)
    await addUse(store, ids.slice(0, 60))
    await addTraffic(store, ids.slice(0, 60))
  } finally {
    await store.close()
  }
}

interface Added {
  id: string
  tenantId: string
}

/** They came over the years, each under a name that people give. */
async function nameApplications(store: Store): Promise<Added[]> {
  const rows = await store.reader
    .selectFrom('applications')
    .select(['id', 'tenant_id'])
    .where('public_key', 'like', 'pcl_pk_%')
    .where('created_at', '<', dayMs)
    .orderBy('created_at')
    .execute()
  const now = Date.now()
  await store.transaction(async (tx) => {
    for (const [index, { id }] of rows.entries()) {
      const at = now - (rows.length - index) * 3 * dayMs
      const name = `${trades[index % trades.length]} ${places[index % places.length]} ${index + 1}`
      await tx.updateTable('applications').set({ name, created_at: at, updated_at: at }).where('id', '=', id).execute()
      const ends = { starts_at: at, created_at: at, ends_at: now + (20 + index) * dayMs }
      await tx.updateTable('application_secrets').set(ends).where('application_id', '=', id).execute()
      const granted = tx.updateTable('permission_grants').set({ granted_at: at })
      await granted.where('application_id', '=', id).execute()
    }
  })
  return rows.map(({ id, tenant_id: tenantId }) => ({ id, tenantId }))
}

/** By the keys of the server, so that the chain stays whole. */
async function addEvents(store: Store, folder: string, added: readonly Added[], count: number): Promise<void> {
  const key = readFileSync(join(folder, 'keys', 'development-master.key'), 'utf8').trim()
  const begun = Date.now() - dayMs
  let written = 0
  const keys = createLedgerKeys([Buffer.from(key, 'base64url')])
  const ledger = createLedger({ keys, now: () => begun + Math.floor((written * dayMs) / count) })
  await store.transaction(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      written = index + 1
      const { id: applicationId, tenantId } = added[(index * 7) % added.length] ?? { id: '', tenantId: '' }
      const event: LedgerEvent = {
        ...{ event: words[index % words.length] ?? words[0], actor: { kind: 'system' }, tenantId, applicationId },
        details: { number: index },
      }
      await ledger.append(tx, event)
    }
  })
}

/** Thirty days of calls. */
async function addUse(store: Store, added: readonly Added[]): Promise<void> {
  const today = Math.floor(Date.now() / dayMs)
  const rows = added.flatMap(({ id, tenantId }, at) =>
    Array.from({ length: 30 }, (_, back) => ({
      ...{ application_id: id, tenant_id: tenantId, day: today - back, route: routes[at % routes.length] ?? '' },
      ...{ allowed: (at + 1) * (40 + ((back * 13) % 29)), not_permitted: (at + back) % 7, limited: (at * back) % 11 },
      ...{ token_refused: back % 3, client_errors: at % 5, server_errors: (at + back) % 4 },
    })),
  )
  await store.transaction(async (tx) => {
    for (let from = 0; from < rows.length; from += inOneStatement) {
      await tx
        .insertInto('route_usage')
        .values(rows.slice(from, from + inOneStatement))
        .execute()
    }
  })
}

/** As another instance wrote it: the last hour by minutes, the last day by quarters of an hour. */
async function addTraffic(store: Store, added: readonly Added[]): Promise<void> {
  const rows = [hourSlots, daySlots].flatMap((slots) =>
    slotTimes(slots, Date.now()).map((at, place) => ({
      ...{ slot_seconds: slots.slotSeconds, at, instance_id: 'elsewhere' },
      body: slotText(busySlot(at, added, (slots.slotSeconds / 60) * (2 + Math.sin(place / 9)))),
    })),
  )
  await store.transaction(async (tx) => {
    for (let from = 0; from < rows.length; from += inOneStatement) {
      await writeHistory(tx, rows.slice(from, from + inOneStatement))
    }
  })
}

/** More or less of everything, by `weight`. */
function busySlot(at: number, added: readonly Added[], weight: number): Slot {
  const slot = emptySlot(at)
  const counts = [9, 1, 1, 0, 1, 0.5].map((count) => Math.round(count * weight))
  for (const [place, { id, tenantId }] of added.entries()) {
    const series = { tenantId, applicationId: id, routeId: routes[place % routes.length] ?? '' }
    addCalls(slot, (tenant, applicationId, routeId) => ({ tenantId: tenant, applicationId, routeId }), series, counts)
  }
  for (const route of [...routes, 'token', 'portal-applications']) {
    const sums = noRequests()
    sums.requests = Math.round(200 * weight)
    sums.clientErrors = Math.round(12 * weight)
    sums.serviceErrors = Math.round(2 * weight)
    for (const [bucket, part] of [5, 20, 60, 80, 25, 6, 3, 1].entries()) {
      sums.latency[bucket] = Math.round(part * weight)
    }
    addRoute(slot, route, sums)
  }
  addTotal(slot, `${totalNames.signIn}signed_in`, Math.round(6 * weight))
  addTotal(slot, `${totalNames.signIn}failed`, Math.round(weight))
  addTotal(slot, `${totalNames.limited}application`, Math.round(3 * weight))
  addTotal(slot, `${totalNames.token}granted`, Math.round(40 * weight))
  return slot
}
