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
  /** Ids of the catalogue; a function is called when the decision is written, if it has not given way by then. */
  permissions?: readonly string[] | (() => readonly string[]) | undefined
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
    const noted = waiting.take()
    try {
      while (noted.length > 0) {
        const batch = noted.slice(0, insertBatch).map(rowOf)
        await store.transaction((tx) => insertDecisions(tx, batch))
        noted.splice(0, insertBatch)
      }
    } catch (error) {
      waiting.putBack(noted)
      throw error
    }
  }
  return {
    note: (decision) => waiting.add({ decision, at: now(), row: undefined }),
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

/** A decision as it was noted. Most give way to newer ones before they are written, so a row is made when it is. */
interface Noted {
  decision: DecisionNote
  /** Epoch ms. */
  at: number
  row: DecisionRow | undefined
}

/** The last decisions of one application. Full, `first` is the place of the oldest, where the next one goes. */
interface Ring {
  noted: Noted[]
  first: number
}

/** By application, the oldest of one give way to its newer ones. */
function createWaiting(onDropped: () => void) {
  let own = new Map<string, Ring>()
  let strange = new Map<string, Ring>()
  let size = 0
  const ringOf = ({ applicationId, isProved }: DecisionNote): Ring => {
    const rings = isProved ? own : strange
    const known = rings.get(applicationId)
    if (known !== undefined) return known
    const ring: Ring = { noted: [], first: 0 }
    rings.set(applicationId, ring)
    return ring
  }
  const most = ({ isProved }: DecisionNote) => (isProved ? mostOwn : mostStrange)
  return {
    add(noted: Noted): void {
      const ring = ringOf(noted.decision)
      const places = most(noted.decision)
      if (ring.noted.length < places) {
        if (size >= mostWaiting) return void onDropped()
        size += 1
        ring.noted.push(noted)
        return
      }
      onDropped()
      ring.noted[ring.first] = noted
      ring.first = (ring.first + 1) % places
    },
    take(): Noted[] {
      const all = [...own.values(), ...strange.values()].flatMap(inOrder)
      own = new Map()
      strange = new Map()
      size = 0
      return all
    },
    /** Older than whatever came meanwhile, so it gives way to that. */
    putBack(taken: readonly Noted[]): void {
      for (const noted of [...taken].reverse()) {
        const ring = ringOf(noted.decision)
        if (size >= mostWaiting || ring.noted.length >= most(noted.decision)) onDropped()
        else {
          ring.noted.unshift(noted)
          size += 1
        }
      }
    },
  }
}

function inOrder({ noted, first }: Ring): Noted[] {
  return first === 0 ? noted : [...noted.slice(first), ...noted.slice(0, first)]
}

/** The same row each time, so that what was kept after a failure keeps its id. */
function rowOf(noted: Noted): DecisionRow {
  noted.row ??= newRow(noted.decision, noted.at)
  return noted.row
}

function newRow(decision: DecisionNote, at: number): DecisionRow {
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
    permissions: (typeof permissions === 'function' ? permissions() : permissions)
      .join(' ')
      .slice(0, longestPermissions),
  }
}

/** A strange text must not make the Store refuse the whole batch. */
function text(value: string | undefined): string | null {
  return value === undefined ? null : value.slice(0, longestText).replace(unkeepable, '\ufffd')
}
