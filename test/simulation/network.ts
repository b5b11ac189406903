// The way from an instance to PostgreSQL or Redis and back: late by a distribution, sometimes later by a packet that is
// sent again, and cut off for a while.

import type { Chance } from './chance.js'
import { exponential } from './chance.js'
import type { VirtualTime } from './virtual-time.js'

export interface Link {
  /** Milliseconds there and back, without luck. */
  roundTripMs: number
  /** Mean of what comes on top, each way. */
  jitterMs: number
  /** How many of a thousand messages are lost and come by the second attempt of TCP. */
  lostPerMille: number
}

export interface Way {
  /**
   * Carries a question there, lets `serve` answer, and carries the answer back. Nothing comes when the way is cut at
   * one of the two moments: then `serve` may have run. The caller has a deadline of its own.
   */
  exchange<T>(serve: () => T | Promise<T>): Promise<T>
  /** One way and back so many times, for a transaction of several statements. */
  rounds(count: number): Promise<void>
  /** What a server does for one answer, where it answers later than at once. */
  serverWork(): Promise<void>
  /** What an entry of an answer costs who gets it. */
  entryWork(): Promise<void>
  isCut: boolean
}

/** What each answer costs at the two ends of a way. */
export interface Ends {
  server(): Promise<void>
  client(): Promise<void>
  /** Beside that, for each entry that an answer has. */
  entry(): Promise<void>
}

/** TCP sends again after so long at first. */
const AGAIN_MS = 200

/** A way that keeps the order of what is sent on it. */
export function createWay(time: VirtualTime, link: Link, chance: Chance, ends: Ends): Way {
  const lastAt = { there: 0, back: 0 }
  const oneWay = (): number => {
    const again = chance() * 1_000 < link.lostPerMille ? AGAIN_MS : 0
    return link.roundTripMs / 2 + exponential(chance, link.jitterMs) + again
  }
  const carry = (direction: 'there' | 'back'): Promise<void> => {
    const at = Math.max(lastAt[direction], time.now() + oneWay())
    lastAt[direction] = at
    return time.delay(at - time.now())
  }
  const way: Way = {
    isCut: false,
    async exchange(serve) {
      await passable()
      await carry('there')
      await passable()
      await ends.server()
      const answer = await serve()
      await carry('back')
      await passable()
      await ends.client()
      return answer
    },
    async rounds(count) {
      for (let i = 0; i < count; i += 1) {
        await time.delay(oneWay())
        await ends.server()
        await time.delay(oneWay())
        await ends.client()
      }
    },
    serverWork: ends.server,
    entryWork: ends.entry,
  }
  /** What is sent into a cut is lost, and nobody hears of it. */
  const passable = (): Promise<void> => (way.isCut ? new Promise(() => {}) : Promise.resolve())
  return way
}
