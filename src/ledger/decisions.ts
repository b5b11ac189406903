// Recorded decisions: each application's last token requests and refused calls, with the reason that its caller did not
// get. For those who look after the application (decision 0059). A call that is allowed is not recorded. Bounded in
// memory and in the table, for each application apart: one that is refused a thousand times a second costs the others
// nothing.

import { randomUUID } from 'node:crypto'
import { crowdedApplications, pruneDecisions } from '../storage/sql/ledger/decision-upkeep.js'
import { type DecisionRow, insertDecisions } from '../storage/sql/ledger/recorded-decisions.js'
import type { Store } from '../storage/sql/store.js'

/** Of one application: what was proved to be its own, and what anybody may have sent who knows its identifier. */
const mostOwn = 200
const mostStrange = 50
/** Of all applications, in memory between two writes and in the table. */
const mostWaiting = 2_000
const mostKept = 20_000
const insertBatch = 100
const pruneBatch = 500
const pruneRounds = 20
const longestPermissions = 512
/** What the engines would not keep alike; see storage/sql/parameters.ts. */
const unkeepable = /[\0\p{Surrogate}]/gu
const longestText = 256

/** Never a token, a secret, a query, a path or a body: ids, and words of the configuration. */
export interface DecisionNote {
  what: 'token' | 'call'
  outcome: 'granted' | 'refused'
  applicationId: string
  /** Whether the application had proved that it is itself. */
  isProved: boolean
  /** As in the log. */
  reason: string
  status: number
  requestId: string
  number?: number | undefined
  tenantId?: string | undefined
  userId?: string | undefined
  route?: string | undefined
  method?: string | undefined
  grantType?: string | undefined
  /** Ids of the catalogue. */
  permissions?: readonly string[] | undefined
}

/** Where decisions are noted. Never waited for, never in the way. */
export interface DecisionNotes {
  note(decision: DecisionNote): void
}

export interface DecisionLog extends DecisionNotes {
  /** Writes what was noted; what fails is kept as far as there is room. Throws StoreUnavailable. */
  flush(): Promise<void>
  /** Deletes what is beyond the bounds, in bounded batches. Throws StoreUnavailable. */
  trim(): Promise<void>
}

/** `now`: epoch milliseconds. `onDropped` is called for each that is forgotten before it was written. */
export function createDecisions(options: {
  store: Pick<Store, 'transaction' | 'reader'>
  now: () => number
  onDropped: () => void
}): DecisionLog {
  const { store, now, onDropped } = options
  const waiting = createWaiting(onDropped)
  let flushing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const rows = waiting.take()
    try {
      while (rows.length > 0) {
        const batch = rows.slice(0, insertBatch)
        await store.transaction((tx) => insertDecisions(tx, batch))
        rows.splice(0, insertBatch)
      }
    } catch (error) {
      waiting.putBack(rows)
      throw error
    }
  }
  return {
    note: (decision) => waiting.add(rowOf(decision, now())),
    flush() {
      // Who asks while another write is under way gets what that one has, and what came since.
      flushing = flushing.catch(() => undefined).then(write)
      return flushing
    },
    async trim() {
      for (const [proved, kept] of [
        [1, mostOwn],
        [0, mostStrange],
      ] as const) {
        for (const applicationId of await crowdedApplications(store.reader, proved, kept, pruneRounds)) {
          await store.transaction((tx) => pruneDecisions(tx, { applicationId, proved }, kept, pruneBatch))
        }
      }
      for (let round = 0; round < pruneRounds; round += 1) {
        if ((await store.transaction((tx) => pruneDecisions(tx, 'all', mostKept, pruneBatch))) < pruneBatch) return
      }
    },
  }
}

/** Rows by application, the oldest of one give way to its newer ones. */
function createWaiting(onDropped: () => void) {
  let lists = new Map<string, DecisionRow[]>()
  let size = 0
  const listOf = ({ application_id: id, proved }: DecisionRow): DecisionRow[] => {
    const key = `${proved} ${id}`
    const list = lists.get(key) ?? []
    lists.set(key, list)
    return list
  }
  return {
    add(row: DecisionRow): void {
      const list = listOf(row)
      const isCrowded = list.length >= (row.proved === 1 ? mostOwn : mostStrange)
      if (isCrowded || size >= mostWaiting) onDropped()
      if (isCrowded) list.shift()
      else if (size >= mostWaiting) return
      else size += 1
      list.push(row)
    },
    take(): DecisionRow[] {
      const rows = [...lists.values()].flat()
      lists = new Map()
      size = 0
      return rows
    },
    /** Older than whatever came meanwhile, so it gives way to that. */
    putBack(rows: readonly DecisionRow[]): void {
      for (const row of [...rows].reverse()) {
        const list = listOf(row)
        if (size >= mostWaiting || list.length >= (row.proved === 1 ? mostOwn : mostStrange)) onDropped()
        else {
          list.unshift(row)
          size += 1
        }
      }
    },
  }
}

function rowOf(decision: DecisionNote, at: number): DecisionRow {
  const { what, outcome, status, number = null, permissions = [] } = decision
  return {
    id: randomUUID(),
    at,
    what,
    outcome,
    status,
    number,
    proved: decision.isProved ? 1 : 0,
    application_id: decision.applicationId,
    request_id: decision.requestId,
    reason: text(decision.reason) ?? '',
    tenant_id: text(decision.tenantId),
    user_id: text(decision.userId),
    route: text(decision.route),
    method: text(decision.method),
    grant_type: text(decision.grantType),
    permissions: permissions.join(' ').slice(0, longestPermissions),
  }
}

/** A strange text must not make the Store refuse the whole batch. */
function text(value: string | undefined): string | null {
  return value === undefined ? null : value.slice(0, longestText).replace(unkeepable, '\ufffd')
}
