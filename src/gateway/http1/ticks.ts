// Time for many connections at once: none of them has a timer of its own, all look at a number that grows. A process
// that stood still has counted nothing meanwhile, so nobody's answer is late for that reason.

/** How exact it is. */
const tickMs = 250

/** A class, because it holds a timer, which keeps no process alive. */
export class Ticks {
  /** How many have passed. */
  now = 0
  readonly #onTick: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(onTick: () => void) {
    this.#onTick = onTick
  }

  /** The first tick at which `ms` have passed for certain. */
  after(ms: number): number {
    return this.now + Math.ceil(ms / tickMs) + 1
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.now += 1
      this.#onTick()
    }, tickMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
