// Waiting, and the chance in it, given to a part from outside: those of the process, or those of a simulation that has
// a time of its own (test/simulation).

export interface Timers {
  /** Runs `work` once, in `ms` milliseconds; what it returns prevents that. Does not keep the process alive. */
  after(ms: number, work: () => void): () => void
  /** The same for what a caller waits for: the process stays alive until then. */
  awaited(ms: number, work: () => void): () => void
  /** Runs `work` every `ms` milliseconds until what it returns is called. Does not keep the process alive. */
  every(ms: number, work: () => void): () => void
  /** 0 ≤ random() < 1; keeps instances from doing the same at the same moment. */
  random(): number
}

/** The timers of this process. */
export const processTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
  awaited(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
  every(ms, work) {
    const timer = setInterval(work, ms).unref()
    return () => clearInterval(timer)
  },
  random: Math.random,
}
