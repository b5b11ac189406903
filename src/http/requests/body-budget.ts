// What bodies may take of this process's memory while they are held whole, of requests and of answers that are
// rewritten: one budget for all of them, wherever they are read, of which no caller has more than a quarter, and nobody
// more than is left for others.

/** What is held for one body. */
export interface BodyHold {
  /** `bytes` more; false: there is no room for them, and nothing has changed. */
  grow(bytes: number): boolean
  /** Gives `bytes` of it back, of those that it grew by. */
  shrink(bytes: number): void
  /** Gives all of it back; once is enough. */
  release(): void
}

export interface BodyBudget {
  /** Room for a body of so many bytes, or, for 0, for what it may grow to; `full`: for nobody now; `share`: this caller holds what it may. */
  hold(caller: string, bytes: number): BodyHold | 'full' | 'share'
  /** Bytes that are held now. */
  readonly held: number
}

export interface BodyBudgetOptions {
  /** Of the whole process. */
  bytes: number
}

/** What a body takes besides its bytes: its request waits for it. */
const leastBytes = 4_096
const callersShare = 4
const idleKept = 1_024

/** Builds it. `caller` is any name, such as an address. */
export function createBodyBudget({ bytes: total }: BodyBudgetOptions): BodyBudget {
  const byCaller = new Map<string, { held: number }>()
  let held = 0
  let purgeAt = 2 * idleKept
  const tallyOf = (caller: string) => {
    const known = byCaller.get(caller)
    if (known !== undefined) return known
    if (byCaller.size >= purgeAt) {
      for (const [key, tally] of byCaller) if (tally.held === 0) byCaller.delete(key)
      purgeAt = Math.max(2 * idleKept, 2 * byCaller.size)
    }
    const made = { held: 0 }
    byCaller.set(caller, made)
    return made
  }
  const whyNot = (own: number, bytes: number): 'full' | 'share' | undefined => {
    const free = total - held
    if (bytes > free) return 'full'
    // As much as is left for others, but for the first body, which may be as large as a quarter of all.
    return own + bytes > Math.min(total / callersShare, Math.max(free, leastBytes)) ? 'share' : undefined
  }
  return {
    get held() {
      return held
    },
    hold(caller, announced) {
      const tally = tallyOf(caller)
      const wanted = Math.max(announced, leastBytes)
      const refused = whyNot(tally.held, wanted)
      if (refused !== undefined) return refused
      // For nothing, nobody waits: what is held is still to come, as events of an idle stream are.
      let mine = announced === 0 ? 0 : wanted
      const add = (bytes: number) => {
        held += bytes
        tally.held += bytes
      }
      add(mine)
      return {
        grow(bytes) {
          if (whyNot(tally.held, bytes) !== undefined) return false
          mine += bytes
          add(bytes)
          return true
        },
        shrink(bytes) {
          const less = Math.min(bytes, mine)
          mine -= less
          add(-less)
        },
        release() {
          add(-mine)
          mine = 0
        },
      }
    },
  }
}
