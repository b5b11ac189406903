// The room of a service: how many requests may be under way and how many of them at work. Nobody takes so much of it
// that a newcomer finds none: a caller at work has its share at most, a group twice that, and nobody more than they
// leave free, in all and in their group. What finds no place waits for its turn, and the deadline of the request ends
// the wait (decision 0083).

import type { TokenPrincipal } from '../../access/principal.js'
import { CallerTallies, type Tally } from './callers.js'

export interface RoomOptions {
  /** Requests that may be at work at once. */
  places: number
  /** Requests that may be under way at once; those beyond `places` wait. */
  most: number
  /** Of the places, for one caller; 100: no shares. */
  sharePercent: number
}

/** What one request holds of a room. */
export interface Place {
  /** Whether it may begin. Else `onTurn` is called when it may; the wait has no end of its own. */
  readonly runs: boolean
  onTurn: (() => void) | undefined
  /** Gives the place back; once is enough, more often does no harm. */
  leave(): void
  /** Why it still waits: for want of places, or because its caller has its share. */
  waitsFor(): 'places' | 'share'
}

/** `full`: there is no room for anybody like this. `share`: this caller has what it may have. */
export type NoPlace = 'full' | 'share'

/** A group may have so many times what is left for others, a caller as much. */
const groupShare = 3
/** The same where a caller has nothing under way yet. */
const newcomersShare = 7

export class Room {
  readonly places: number
  readonly most: number
  underWay = 0
  running = 0
  readonly #shares: boolean
  readonly #callerPlaces: number
  readonly #groupPlaces: number
  readonly #tallies = new CallerTallies()
  readonly #uploads: Tally = { underWay: 0, running: 0 }
  readonly #waiting: Holding[] = []

  constructor({ places, most, sharePercent }: RoomOptions) {
    this.places = Math.min(places, most)
    this.most = most
    this.#shares = sharePercent < 100
    this.#callerPlaces = Math.max(1, Math.floor((this.places * sharePercent) / 100))
    this.#groupPlaces = Math.max(1, Math.min(this.places, 2 * this.#callerPlaces))
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** A place, or why there is none. `isUpload`: its body is not here yet, so the client decides how long it takes. */
  take(principal: TokenPrincipal | undefined, address: string, isUpload: boolean): Place | NoPlace {
    const free = this.most - this.underWay
    if (free <= 0) return 'full'
    const tallies = this.#tallies
    const upload = isUpload ? this.#uploads : undefined
    const caller = tallies.caller(principal, address)
    const holding = new Holding(this, caller, tallies.group(principal), tallies.tenant(principal), upload)
    const refused = this.#shares ? this.#refuses(holding, free, principal === undefined) : undefined
    if (refused !== undefined) return refused
    this.underWay += 1
    holding.countUnderWay(1)
    if (this.#mayRun(holding)) this.#run(holding)
    else this.#waiting.push(holding)
    return holding
  }

  #refuses({ caller, group, tenant, upload }: Holding, free: number, isAnonymous: boolean): NoPlace | undefined {
    const most = (caller.underWay === 0 ? newcomersShare : groupShare) * free
    if (caller.underWay >= free) return 'share'
    const twice = 2 * caller.underWay
    if (twice >= most - group.underWay) return isAnonymous ? 'full' : 'share'
    if (tenant !== undefined && twice >= most - tenant.underWay) return 'share'
    return upload !== undefined && twice >= most - upload.underWay ? 'full' : undefined
  }

  #mayRun({ caller, group, tenant, upload }: Holding): boolean {
    const free = this.places - this.running
    if (free <= 0) return false
    if (!this.#shares) return true
    if (caller.running >= this.#callerPlaces || caller.running >= free) return false
    const most = Math.min(this.#groupPlaces, groupShare * free)
    return (
      leavesSome(caller, group, most) &&
      (tenant === undefined || leavesSome(caller, tenant, most)) &&
      (upload === undefined || leavesSome(caller, upload, most))
    )
  }

  #run(holding: Holding): void {
    holding.runs = true
    this.running += 1
    holding.countRunning(1)
  }

  /** Of a place that is given back. */
  left(holding: Holding): void {
    this.underWay -= 1
    holding.countUnderWay(-1)
    if (!holding.runs) {
      this.#waiting.splice(this.#waiting.indexOf(holding), 1)
      return
    }
    this.running -= 1
    holding.countRunning(-1)
    if (this.#waiting.length > 0) this.#callNext()
  }

  /** The request that has waited longest among those that may; those that have their share are passed over. */
  #callNext(): void {
    for (let i = 0; i < this.#waiting.length && this.running < this.places; ) {
      const next = this.#waiting[i] as Holding
      if (!this.#mayRun(next)) {
        i += 1
        continue
      }
      this.#waiting.splice(i, 1)
      this.#run(next)
      process.nextTick(turn, next)
    }
  }
}

/** A place, and all that it is counted at. */
class Holding implements Place {
  runs = false
  onTurn: (() => void) | undefined
  readonly caller: Tally
  readonly group: Tally
  readonly tenant: Tally | undefined
  readonly upload: Tally | undefined
  readonly #room: Room
  #left = false

  constructor(room: Room, caller: Tally, group: Tally, tenant: Tally | undefined, upload: Tally | undefined) {
    this.#room = room
    this.caller = caller
    this.group = group
    this.tenant = tenant
    this.upload = upload
  }

  get isOver(): boolean {
    return this.#left
  }

  leave(): void {
    if (this.#left) return
    this.#left = true
    this.#room.left(this)
  }

  waitsFor(): 'places' | 'share' {
    return this.#room.running < this.#room.places ? 'share' : 'places'
  }

  countUnderWay(by: 1 | -1): void {
    this.caller.underWay += by
    this.group.underWay += by
    if (this.tenant !== undefined) this.tenant.underWay += by
    if (this.upload !== undefined) this.upload.underWay += by
  }

  countRunning(by: 1 | -1): void {
    this.caller.running += by
    this.group.running += by
    if (this.tenant !== undefined) this.tenant.running += by
    if (this.upload !== undefined) this.upload.running += by
  }
}

/** Whether a caller has less at work than it leaves to the others of a group that may have `most`. */
function leavesSome(caller: Tally, group: Tally, most: number): boolean {
  return caller.running < most - group.running
}

function turn(holding: Holding): void {
  if (!holding.isOver) holding.onTurn?.()
}
