// The activity log: what failed or was refused. Attackers write here, so it is bounded everywhere (in
// memory, a row, the table), written in batches and in nobody's way. It is for people who look into something; it
// proves nothing.

import { randomUUID } from 'node:crypto'
import { type ActivityRow, insertActivity, pruneActivity } from '../storage/sql/ledger/activity.js'
import { insertActivityMembers } from '../storage/sql/ledger/member-rows.js'
import type { Store } from '../storage/sql/store.js'
import { createShares } from './activity-shares.js'
import { type Activity, memberEvents } from './ledger.js'

/** What waits to be written; what comes beyond it is counted and forgotten. */
const mostWaiting = 1_000
const insertBatch = 100
const pruneBatch = 500
const pruneRounds = 40
/** What the engines would not keep alike; see storage/sql/parameters.ts. */
const unkeepable = /[\0\p{Surrogate}]/gu
const longestText = 256
const longestDetails = 2_048

export interface ActivityLog extends Activity {
  /** Writes what was noted, and the sums that are due; with `last` all of them. */
  flush(options?: { last?: boolean }): Promise<void>
  /** Deletes the oldest rows beyond the configured number, in bounded batches. Throws StoreUnavailable. */
  trim(): Promise<void>
}

/**
 * `entries`: how many the table keeps, give or take what comes between two trims. `groupOf`: whom an address stands
 * for, itself unless given. `now`: epoch milliseconds. `onDropped` is
 * called for each that is forgotten.
 */
export function createActivity(options: {
  store: Pick<Store, 'transaction'>
  entries: number
  now: () => number
  groupOf?: (address: string) => string
  onDropped?: () => void
}): ActivityLog {
  const { store, entries, now } = options
  let waiting: ActivityRow[] = []
  let dropped = 0
  const shares = createShares(options.groupOf ?? ((address) => address))

  const drop = (): void => {
    dropped += 1
    options.onDropped?.()
  }
  const keep = (row: ActivityRow): void => {
    if (waiting.length < mostWaiting) waiting.push(row)
    else drop()
  }
  return {
    note(event) {
      try {
        const row = rowOf(event, now())
        const share = shares.take(event, row.at)
        if (share === 'keep') keep(row)
        if (share === 'lost') drop()
      } catch {
        // Details that are no JSON. The code that notes something is answering a caller, who shall not suffer for it.
        drop()
      }
    },
    async flush({ last = false } = {}) {
      for (const sum of shares.due(now(), last)) keep(rowOf(sum, now()))
      const rows = waiting
      const lost = dropped
      waiting = []
      dropped = 0
      const insert = (batch: ActivityRow[]) =>
        store.transaction(async (tx) => {
          await insertActivity(tx, batch)
          await insertActivityMembers(tx, batch, memberEvents)
        })
      try {
        while (rows.length > 0) {
          await insert(rows.slice(0, insertBatch))
          rows.splice(0, insertBatch)
        }
        if (lost > 0) await insert([rowOf({ event: 'activity.dropped', details: { count: lost } }, now())])
      } catch (error) {
        const meanwhile = waiting
        waiting = rows
        dropped += lost
        for (const row of meanwhile) keep(row)
        throw error
      }
    },
    async trim() {
      for (let round = 0; round < pruneRounds; round += 1) {
        const deleted = await store.transaction((tx) => pruneActivity(tx, entries, pruneBatch))
        if (deleted < pruneBatch) return
      }
    },
  }
}

function rowOf(event: Parameters<Activity['note']>[0], at: number): ActivityRow {
  const details = event.actor === undefined ? event.details : { actor: event.actor, ...event.details }
  return {
    id: randomUUID(),
    at,
    event: text(event.event) ?? '',
    tenant_id: text(event.tenantId),
    application_id: text(event.applicationId),
    user_id: text(event.userId),
    request_id: text(event.requestId),
    address: text(event.address),
    details: boundedDetails(JSON.stringify(details ?? {})),
  }
}

/** A strange text must not make the Store refuse the whole batch. */
function text(value: string | undefined): string | null {
  if (value === undefined) return null
  return value.slice(0, longestText).replace(unkeepable, '\ufffd')
}

function boundedDetails(json: string): string {
  return json.length <= longestDetails ? json : '{"omitted":"too long"}'
}
