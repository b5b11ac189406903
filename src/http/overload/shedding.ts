// Who is refused while more comes than one event loop can do: pure decisions, by looks at the loop and a clock that is
// handed in. While nothing waits nobody is refused. Once requests have waited for too long for a while, calls get a rate
// that leaves the loop a little free, so that those who are let in do not wait; what is more urgent takes from the same
// rate ahead of its time, and is refused when even that is not enough (decisions 138, 149).

import { type LoopLook, lookMs } from './loop-look.js'
import { createOnset } from './onset.js'
import { createUrgentShares } from './urgent-shares.js'

/** The most urgent first. */
export type Priority = 'revocation' | 'sign-in' | 'token' | 'call'

export interface SheddingOptions {
  /** Requests may wait for so long, milliseconds. */
  longestTurnMs: number
  /** 0 ≤ random() < 1, for Retry-After. */
  random: () => number
  /** Hears of the begin and of the end. */
  onChange?: (isShedding: boolean) => void
}

export interface Shedding {
  readonly isShedding: boolean
  look(look: LoopLook): void
  /** A look at a stretch that is not over yet. */
  late(look: LoopLook): void
  /**
   * Whether a request of a client may go on; only to be called while shedding. Counts it. `lateMs`: how late the loop
   * is; for as long what is there already is to be done first.
   */
  admit(priority: Priority, client: string, now: { at: number; lateMs: number }): boolean
  /** Whole seconds, spread so that those who come back do not come together. */
  retryAfterSeconds(): number
}

/** The rate is adjusted so often, milliseconds. */
const adjustMs = 50
/**
 * How late timers are on average, of how late they may be, while as much is let in as can be done. Not how busy the loop
 * is: one that sleeps between two requests needs twice as long for each, and is busy with half of what it can do.
 */
const aim = 0.04
/** What is late by more of it lets nothing in until it is in time again. */
const tooLate = 0.1
/** Timers count whole milliseconds, so less of either says nothing. */
const [leastAimMs, leastTooLateMs] = [0.6, 2] as const
/** Less is room for many more: for so much of what would make it busy all the time, whatever the rate was. */
const [busyEnough, ofPossible, mostLeap] = [0.9, 0.8, 4] as const
/**
 * With time to spare for so long it is over, provided nobody was refused or there would have been time for them too: while
 * the rate still grows, it is idle because many are refused. With so much to spare it is over a few times later in any case.
 */
const [quietForMs, idleForMs] = [1_000, 5_000] as const
const idleEnough = 0.8
const nearlyBusy = 0.98
/** What a call that was refused would have taken: what others took, and no more than this, milliseconds. */
const mostCallMs = 0.5
/** What becomes of the rate at a time: far too late, too late, room for more, at least for many more. */
const [fall, ease, rise, leap] = [0.85, 0.97, 1.03, 1.15] as const
/** What a request of a kind weighs against a call. */
const weights: Readonly<Record<Priority, number>> = { revocation: 3, 'sign-in': 5, token: 3, call: 1 }
/** How far ahead of its time each may take from the rate, milliseconds. Shares bound all of them (urgent-shares.ts). */
const ahead: Readonly<Record<Priority, number>> = {
  revocation: Number.POSITIVE_INFINITY,
  'sign-in': 1_000,
  token: 200,
  call: 0,
}
/** For so long nothing is let in at most because it is late. */
const mostWithheldMs = 50
const burstMs = 3
const leastPerMs = 0.05
const longestRetrySeconds = 30

/** Nothing is shed at first. */
export function createShedding(options: SheddingOptions): Shedding {
  const onset = createOnset(options.longestTurnMs)
  let rate: Rate | undefined
  const change = (to: Rate | undefined) => {
    rate = to
    options.onChange?.(to !== undefined)
  }
  const watch = (perMs: number | undefined, at: number) => {
    if (perMs !== undefined) change(createRate({ arrivedPerMs: perMs, begunAt: at }, options.longestTurnMs))
  }
  return {
    get isShedding() {
      return rate !== undefined
    },
    look(look) {
      if (rate === undefined) watch(onset.look(look), look.at)
      else if (rate.look(look) === 'over') change(undefined)
    },
    late(look) {
      if (rate === undefined) watch(onset.late(look), look.at)
    },
    admit: (priority, client, now) => rate?.admit(priority, client, now) ?? true,
    retryAfterSeconds() {
      const spread = Math.min(longestRetrySeconds, 2 + Math.ceil((rate?.excess ?? 0) * 4))
      return 1 + Math.floor(options.random() * spread)
    },
  }
}

type Rate = ReturnType<typeof createRate>

interface Begin {
  arrivedPerMs: number
  begunAt: number
}

/** What is let in while it is too much: so many in a millisecond, steered by how late the loop is. */
function createRate({ arrivedPerMs, begunAt }: Begin, longestTurnMs: number) {
  const shares = createUrgentShares()
  const aimMs = Math.max(leastAimMs, aim * longestTurnMs)
  const tooLateMs = Math.max(leastTooLateMs, tooLate * longestTurnMs)
  let perMs = Math.max(leastPerMs, arrivedPerMs * 0.8)
  let room = 0
  let refilledAt = begunAt
  let quietMs = 0
  let idleMs = 0
  /** Of the last samples, smoothed: how many are refused for one that is let in. */
  let excess = 1
  let [admitted, refused, taken] = [0, 0, 0]
  let hasBegun = false
  const none = { looks: 0, ms: 0, busyMs: 0, lateMs: 0, latestMs: 0 }
  let sample = none

  const next = (busy: number): number => {
    const { lateMs, looks, latestMs, ms, busyMs } = sample
    if (latestMs >= longestTurnMs) return perMs * fall ** Math.min(4, ms / adjustMs)
    if (lateMs / looks > aimMs) return perMs * ease
    if (refused === 0) return perMs
    if (busy >= busyEnough) return perMs * rise
    const possible = (ofPossible * taken) / Math.max(1, busyMs)
    return Math.min(perMs * mostLeap, Math.max(perMs * leap, possible))
  }
  const clear = () => {
    admitted = 0
    refused = 0
    taken = 0
    sample = none
  }
  const adjust = () => {
    const busy = sample.busyMs / sample.ms
    perMs = Math.max(leastPerMs, next(busy))
    excess = excess * 0.9 + (refused / Math.max(1, admitted)) * 0.1
    const isInTime = sample.latestMs < longestTurnMs
    const callMs = Math.min(mostCallMs, sample.busyMs / Math.max(1, taken))
    const withRefused = (sample.busyMs + refused * callMs) / sample.ms
    const isQuiet = withRefused < idleEnough || (refused === 0 && busy < nearlyBusy)
    quietMs = isInTime && isQuiet ? quietMs + sample.ms : 0
    idleMs = isInTime && busy < idleEnough ? idleMs + sample.ms : 0
    clear()
  }
  return {
    get excess() {
      return excess
    },
    look({ ms, busyMs, cpuMs }: LoopLook): 'over' | undefined {
      const lateMs = Math.max(0, Math.min(ms - lookMs, cpuMs))
      sample = {
        looks: sample.looks + 1,
        ms: sample.ms + ms,
        busyMs: sample.busyMs + busyMs,
        lateMs: sample.lateMs + lateMs,
        latestMs: Math.max(sample.latestMs, lateMs),
      }
      if (sample.ms < adjustMs) return undefined
      if (!hasBegun) {
        // Part of it is of what came before it began.
        hasBegun = true
        clear()
        return undefined
      }
      adjust()
      return quietMs >= quietForMs || idleMs >= idleForMs ? 'over' : undefined
    },
    admit(priority: Priority, client: string, { at, lateMs }: { at: number; lateMs: number }): boolean {
      room = Math.min(room + perMs * Math.max(0, at - refilledAt), Math.max(4, perMs * burstMs))
      refilledAt = Math.max(refilledAt, at)
      if (lateMs > tooLateMs) room = Math.min(room, -perMs * Math.min(lateMs, mostWithheldMs))
      const weight = weights[priority]
      const isUrgent = priority !== 'call' && shares.take(priority, client, { weight, perMs, atMs: at })
      if (room - weight < -perMs * ahead[isUrgent ? priority : 'call']) {
        refused += 1
        return false
      }
      room -= weight
      taken += weight
      admitted += 1
      return true
    },
  }
}
