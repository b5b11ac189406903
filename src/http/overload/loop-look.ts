// One look at the event loop, as the gauge tells it and the shedding judges it.

/** How often the loop is looked at, milliseconds. */
export const lookMs = 10

/** What is known of the stretch between two looks. */
export interface LoopLook {
  /** Milliseconds of a clock that never goes back, at its end. */
  at: number
  /** Its length; what is longer than `lookMs` is how late the loop was. */
  ms: number
  /** Of them those in which the loop was not idle, as far as the process had the processor. */
  busyMs: number
  /** What the process used of the processor meanwhile, with all its threads. */
  cpuMs: number
  /** Requests that came. */
  arrived: number
  /** For how long they came one after the other while the loop was late. Behind one piece of work they come at once. */
  crowdedMs: number
}
