// When an overload begins: the loop was too late, with many requests, for too long (decision 149).

import { type LoopLook, lookMs } from './loop-look.js'

export interface Onset {
  /** At each look while nobody is refused. How many came in a millisecond when it has begun; undefined while it has not. */
  look(look: LoopLook): number | undefined
  /** The same of a stretch that is not over yet. */
  late(look: LoopLook): number | undefined
}

/** For so long it has to take requests while it is too late; what is less is a burst, or a machine that stood still. */
const lateForMs = 250
/** One turn alone is a burst, such as two hundred sign-ins at once, unless it is as long as this. */
const longTurnMs = 600
/** Of which it has so many times as much back for a time in which it is not. */
const decay = 3
/** So many callers one after the other are no overload, however slow the machine. */
const leastArrived = 100
/** But fewer are when they wait for so many times as long as they may. */
const [fewArrived, farTooLong] = [32, 5] as const
/**
 * So late on average, of how late it may be, is an overload too: where most wait for a place at a service, turns of the
 * loop last about as long as they may. Turns that are far too long are for the others to judge.
 */
const [lateOnAverage, averageMs, mostWeightMs] = [0.4, 1_000, 100] as const
/** After the process has stood still, those who came meanwhile may be served for some time before they are an overload. */
const [standstillMs, mostGraceMs, graceApartMs] = [1_000, 10_000, 60_000] as const

/** Notices that it has been too late for too long; gives how many came in a millisecond meanwhile. */
export function createOnset(longestTurnMs: number): Onset {
  let lateMs = 0
  let crowdedMs = 0
  /** How many turns that is. */
  let turns = 0
  let arrived = 0
  let averageLateMs = 0
  let graceUntil = Number.NEGATIVE_INFINITY
  const add = (look: LoopLook) => {
    lateMs += look.ms
    crowdedMs += crowdedOf(look)
    turns += 1
    arrived += look.arrived
  }
  const forget = () => {
    lateMs = 0
    crowdedMs = 0
    turns = 0
    arrived = 0
  }
  const begin = () => {
    const perMs = arrived / Math.max(1, lateMs)
    forget()
    averageLateMs = 0
    return perMs
  }
  const average = ({ ms, cpuMs, arrived: came }: LoopLook) => {
    if (ms > Math.min(farTooLong * longestTurnMs, mostWeightMs)) return averageLateMs
    const late = came < leastArrived ? 0 : Math.max(0, Math.min(ms - lookMs, cpuMs, longestTurnMs))
    averageLateMs += ((late - averageLateMs) * ms) / averageMs
    return averageLateMs
  }
  /** Whether it stood still lately. Who is overloaded is late for longer and longer; who stood still, all at once. */
  const isExcused = ({ at, ms }: LoopLook) => {
    if (ms >= standstillMs && at >= graceUntil + graceApartMs) graceUntil = at + Math.min(2 * ms, mostGraceMs)
    return at < graceUntil
  }
  return {
    late(look: LoopLook): number | undefined {
      if (isExcused(look) || !isTooLate(look, longestTurnMs)) return undefined
      if (!isEnough(crowdedMs + crowdedOf(look), turns + 1)) return undefined
      add(look)
      return begin()
    },
    look(look: LoopLook): number | undefined {
      const isMeant = !isExcused(look)
      if (isMeant && average(look) >= lateOnAverage * longestTurnMs) {
        add(look)
        return begin()
      }
      if (isMeant && isTooLate(look, longestTurnMs)) {
        add(look)
        return isEnough(crowdedMs, turns) ? begin() : undefined
      }
      crowdedMs -= decay * look.ms
      if (crowdedMs <= 0) forget()
      return undefined
    },
  }
}

function crowdedOf({ crowdedMs, cpuMs }: LoopLook): number {
  return Math.min(crowdedMs, cpuMs)
}

function isEnough(crowdedMs: number, turns: number): boolean {
  return crowdedMs >= (turns > 1 ? lateForMs : longTurnMs)
}

/** Whether the process was late, with many requests. */
function isTooLate({ ms, arrived }: LoopLook, longestTurnMs: number): boolean {
  const lateMs = ms - lookMs
  if (lateMs < longestTurnMs) return false
  return arrived >= leastArrived || (arrived >= fewArrived && lateMs >= farTooLong * longestTurnMs)
}
