// Whether the Store may be another one than it was: at the start, and after the contact was lost, a copy of earlier may
// have been put in its place. Then the next change that is numbered leaves a gap, so that no number means two things.

export interface Doubt {
  raise(): void
  /** What was raised so far; to settle exactly that. */
  readonly raised: number
  /** The gap was made for what had been raised; what was raised since stays. */
  settle(raised: number): void
}

/** `atFirst`: doubt from the beginning, as of a process that has just started. */
export function createDoubt(atFirst = false): Doubt {
  let raised = atFirst ? 1 : 0
  return {
    raise() {
      raised += 1
    },
    get raised() {
      return raised
    },
    settle(before) {
      raised -= before
    },
  }
}
