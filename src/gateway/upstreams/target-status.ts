// How a target has been doing. What callers met there is an accusation: callers can cause it, so it stands until
// anybody is answered, and counts against the target only for its accuser. What the gate itself found out counts for
// everybody.

export interface TargetStatus {
  /** What checks found; true where there are none. */
  healthy: boolean
  /** Left out for a while. */
  ejected: boolean
  /** No connection comes to stand. */
  gone: boolean
  /** The gate has looked, and nobody answered. */
  silent: boolean
  /** In a row, up to now: requests without an answer, or with 502, 503 or 504. */
  failures: number
  /** Of them those without an answer, and those for which there was not even a connection. */
  unanswered: number
  unconnected: number
  /** Who met the failures of the row, and how often other targets answered them meanwhile. */
  accusers: Set<string>
  servedElsewhere: number
  /** What was told last: milliseconds of the process's clock since when it is down; undefined: it is up. */
  downSince: number | undefined
  /** Of the failures in a row: when the first was, by the process's clock, and why the newest; undefined: none. */
  trouble: { since: number; cause: string } | undefined
}

/** Accusers that are told apart; for more of them there is no need. */
const mostAccusers = 1_024

/** Of a target of which nothing is known. */
export function newTargetStatus(): TargetStatus {
  return {
    healthy: true,
    ejected: false,
    gone: false,
    silent: false,
    failures: 0,
    unanswered: 0,
    unconnected: 0,
    accusers: new Set(),
    servedElsewhere: 0,
    downSince: undefined,
    trouble: undefined,
  }
}

/** Somebody was answered: nothing is held against it any more. */
export function acquit(status: TargetStatus): void {
  status.gone = false
  status.silent = false
  status.failures = 0
  status.unanswered = 0
  status.unconnected = 0
  status.servedElsewhere = 0
  status.trouble = undefined
  status.accusers.clear()
}

/** Notes why a request failed. */
export function noteTrouble(status: TargetStatus, cause: string): void {
  status.trouble = { since: status.trouble?.since ?? performance.now(), cause }
}

/** Notes who met a failure. */
export function accuse({ accusers }: TargetStatus, caller: string): void {
  if (accusers.size < mostAccusers) accusers.add(caller)
}
