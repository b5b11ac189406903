// Refusals cost a quarter of what a call costs, so a flood of them would take what is to be saved for calls. A few are
// answered at once; the others wait, which keeps a client that does not wait by itself from sending the next. One waits
// for each connection at most, so connection caps bound them.

export interface HeldRefusals {
  /** Calls `answer` now or later, once. */
  refuse(answer: () => void, atMs: number): void
  /**
   * Answers those whose time has come; to be called every some tens of milliseconds. `idleMs`: for how long the loop had
   * nothing to do since the last turn. Those who call are too few then, because so many wait here.
   */
  turn(atMs: number, idleMs: number): void
  /** Answers all. */
  release(): void
  readonly size: number
}

/** Between two turns. */
const atOnce = 2
const perTurn = 10
/** What a client costs that comes back, milliseconds of the loop. */
const returnMs = 0.5
const leastMs = 100
/** Who has waited for so long leaves before others; of those who came together not all at once, for they come back so. */
const longestMs = 5_000
const overduePerTurn = 100

/** None is held. */
export function createHeldRefusals(): HeldRefusals {
  let held: { answer: () => void; atMs: number }[] = []
  let answered = 0
  return {
    refuse(answer, atMs) {
      if (answered < atOnce) {
        answered += 1
        answer()
      } else held.push({ answer, atMs })
    },
    turn(atMs, idleMs) {
      answered = 0
      const most = perTurn + Math.floor(idleMs / returnMs)
      let count = 0
      for (const one of held) {
        const waited = atMs - one.atMs
        if (waited < leastMs || count >= (waited < longestMs ? most : Math.max(most, overduePerTurn))) break
        count += 1
      }
      for (const { answer } of held.splice(0, count)) answer()
    },
    release() {
      const all = held
      held = []
      for (const { answer } of all) answer()
    },
    get size() {
      return held.length
    },
  }
}
