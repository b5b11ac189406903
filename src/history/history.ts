// A short history of what this server answers, kept by every instance for itself and joined over all (decision 117):
// minutes for the last hour, quarters of an hour for the last day. Nothing is counted for it while a request is
// answered: calls come from the usage when it is gathered, everything else is what metrics were added since.
//
// Each instance writes its own slots and replaces them as a whole while they change, so that one that is lost takes a
// few seconds with it. What others wrote is read when somebody looks, at most every few seconds.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { readHistory, writeHistory } from '../storage/sql/history/history.js'
import { type Store, StoreUnavailable } from '../storage/sql/store.js'
import { createInterning, createRing, type Ring } from './ring.js'
import { emptySlot, type Slot } from './slot.js'
import { addCalls } from './slot-sums.js'
import { addText, slotText } from './slot-text.js'
import { daySlots, hourSlots, slotTimes } from './slots.js'
import { createTraffic, type TrafficMetrics } from './traffic.js'

/** Calls of one application to one route that were gathered together. */
export interface GatheredCalls {
  readonly applicationId: string
  readonly tenantId: string
  readonly routeId: string
  readonly allowed: number
  readonly notPermitted: number
  readonly limited: number
  readonly tokenRefused: number
  readonly clientErrors: number
  readonly serverErrors: number
}

/** A stretch that can be looked at. */
export type Stretch = '1h' | '24h'

/** What is known of a stretch. */
export interface Recent {
  slotSeconds: number
  /** The oldest first, also those in which nothing was counted; what this instance and what the others counted. */
  slots: readonly { at: number; parts: readonly Slot[] }[]
  /** Whether the other instances could be read. */
  complete: boolean
}

export interface History {
  /** Adds calls that were gathered at `atMs` (epoch). */
  add(calls: GatheredCalls, atMs: number): void
  /** Writes what has changed. Throws StoreUnavailable; then it is written next time. */
  flush(): Promise<void>
  /** What all instances counted, this one up to now, others up to their last write. */
  recent(stretch: Stretch): Promise<Recent>
}

export interface HistoryOptions {
  store: Pick<Store, 'transaction' | 'reader'>
  /** Of this process and this start only. */
  instanceId: string
  metrics: TrafficMetrics
  /** Hands over calls that were counted and not gathered yet. */
  gather: () => void
  /** Epoch milliseconds. */
  now: () => number
}

/** What others wrote is read again after so long, all of it after so long. */
const readAgainMs = 3_000
const readAllMs = 10 * 60_000
/** How late an instance writes, and how much clocks differ, at most; what is later is read with all. */
const lateMs = 60_000
/** Slots that are read together, then it is the turn of requests. */
const readTogether = 6
/** Rows of those: more instances than anybody has. */
const mostRows = 2_000
const writtenTogether = 50

/** Builds the history of one instance. */
export function createHistory(options: HistoryOptions): History {
  const { store, instanceId, now, gather } = options
  const traffic = createTraffic(options.metrics)
  const { intern, keep } = createInterning()
  const rings = { '1h': createRing(hourSlots), '24h': createRing(daySlots) }
  const both = [rings['1h'], rings['24h']]
  const others = {
    '1h': createOthers(options, rings['1h'], intern),
    '24h': createOthers(options, rings['24h'], intern),
  }
  let swept = now()

  let collecting: Promise<void> | undefined
  /** One at a time: what was added since is a difference between two looks. */
  function collect(): Promise<void> {
    collecting ??= collectNow().finally(() => {
      collecting = undefined
    })
    return collecting
  }

  async function collectNow(): Promise<void> {
    gather()
    const atMs = now()
    for (const ring of both) ring.forget(atMs)
    await traffic.collect((add) => {
      for (const ring of both) add(ring.open(atMs))
    })
    if (atMs - swept < daySlots.slotMs) return
    swept = atMs
    keep(both.flatMap((ring) => [...ring.series()]))
  }

  async function write(ring: Ring): Promise<void> {
    const changed = ring.unwritten()
    for (let from = 0; from < changed.length; from += writtenTogether) {
      const slots = changed.slice(from, from + writtenTogether)
      const { slotSeconds } = ring.slots
      const rows = slots.map((slot) => ({
        slot_seconds: slotSeconds,
        at: slot.at,
        instance_id: instanceId,
        body: slotText(slot),
      }))
      // What is counted while they are written has to be written again.
      ring.wrote(slots)
      try {
        await store.transaction((tx) => writeHistory(tx, rows))
      } catch (error) {
        ring.notWritten(slots)
        throw error
      }
    }
  }

  return {
    add(calls, atMs) {
      const sums = [calls.allowed, calls.notPermitted, calls.limited, calls.tokenRefused]
      const all = [...sums, calls.clientErrors, calls.serverErrors]
      if (all.every((count) => count === 0)) return
      for (const ring of both) addCalls(ring.open(atMs), intern, calls, all)
    },
    async flush() {
      await collect()
      for (const ring of both) await write(ring)
    },
    async recent(stretch) {
      await collect()
      const complete = await others[stretch].read()
      const { slots, at } = rings[stretch]
      const times = slotTimes(slots, now())
      return {
        slotSeconds: slots.slotSeconds,
        slots: times.map((slotAt) => ({ at: slotAt, parts: at(slotAt) })),
        complete,
      }
    },
  }
}

/** Reads what other instances wrote into a ring; of several who wait for it at once, one reads for all. */
function createOthers(
  { store, instanceId, now }: HistoryOptions,
  ring: Ring,
  intern: Parameters<typeof addText>[2],
): { read(): Promise<boolean> } {
  const { slots } = ring
  let readAt = Number.NEGATIVE_INFINITY
  let readAllAt = Number.NEGATIVE_INFINITY
  let running: Promise<boolean> | undefined

  async function readNow(): Promise<boolean> {
    const startedAt = now()
    const isAll = startedAt - readAllAt >= readAllMs
    const times = slotTimes(slots, startedAt)
    const from = isAll ? -1 : readAt - slots.slotMs - lateMs
    const wanted = times.filter((at) => at >= from)
    try {
      for (let i = 0; i < wanted.length; i += readTogether) await readSlots(wanted.slice(i, i + readTogether))
    } catch (error) {
      if (error instanceof StoreUnavailable) return false
      throw error
    }
    readAt = startedAt
    if (isAll) readAllAt = startedAt
    return true
  }

  async function readSlots(times: readonly number[]): Promise<void> {
    const [from = 0] = times
    const to = (times.at(-1) ?? 0) + slots.slotMs
    const about = { slotSeconds: slots.slotSeconds, from, to, exceptInstance: instanceId, limit: mostRows }
    const found = new Map<number, Slot>()
    for (const { at, body } of await readHistory(store.reader, about)) {
      const slot = found.get(at) ?? emptySlot(at)
      found.set(at, slot)
      addText(slot, body, intern)
      await nextTurn()
    }
    ring.replaceOthers({ from, to }, [...found.values()])
  }

  return {
    read() {
      if (now() - readAt < readAgainMs) return Promise.resolve(true)
      running ??= readNow().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
