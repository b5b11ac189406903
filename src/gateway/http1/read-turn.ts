// How much of one connection is read before others have their turn. A target that sends as fast as it is read would be
// read on and on, for megabytes, in one turn of the event loop: that its reader stops it after each piece does not help,
// because what is written to a client is mostly taken at once, and then reading goes on where it was.

/** As much as a record of TLS has: what comes in such pieces is a long body, and nothing else is counted. */
const longRead = 16_384
/** Of such pieces: what one read brings at most. */
export const mostPerTurn = 65_536

/** A class, because it counts. */
export class ReadTurn {
  /** Nothing more is read before the next one. */
  isOver = false
  readonly #onNext: () => void
  #bytes = 0

  /** `onNext` is called when reading may go on. */
  constructor(onNext: () => void) {
    this.#onNext = onNext
  }

  /** Counts what was read; gives whether more may be. */
  read(length: number): boolean {
    if (length >= longRead) this.#count(length)
    return !this.isOver
  }

  #count(length: number): void {
    this.#bytes += length
    if (this.isOver || this.#bytes < mostPerTurn) return
    this.#bytes = 0
    this.isOver = true
    setImmediate(begin, this)
  }

  begin(): void {
    this.isOver = false
    this.#onNext()
  }
}

function begin(turn: ReadTurn): void {
  turn.begin()
}
