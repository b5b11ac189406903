// What work costs, and how many processors there are for it: on a machine of their own instances never wait for one, on
// one machine they wait for each other.

import type { VirtualTime } from './virtual-time.js'

export interface Machine {
  /** Shared by instances, PostgreSQL and Redis; infinite: each has one of its own. */
  processors: number
  /** What share of them everything else takes: work waits while all of them are busy with that. */
  busy: number
  /** Milliseconds of a processor: of an instance for each answer that it gets. */
  answerMs: number
  /** And beside that for an entry of the stream, until it is applied. */
  entryMs: number
  /** The same of PostgreSQL for a statement. */
  statementMs: number
  /** The same of Redis for a command. */
  commandMs: number
  /** Milliseconds until a commit is on the disk, which no processor waits for. */
  commitMs: number
}

/** Where nothing waits for a processor or a disk. */
export const freeMachine: Machine = {
  processors: Number.POSITIVE_INFINITY,
  busy: 0,
  answerMs: 0,
  entryMs: 0,
  statementMs: 0,
  commandMs: 0,
  commitMs: 0,
}

/** Resolves when the work is done, behind what was to be done before. */
export type Worker = (ms: number) => Promise<void>

export interface Processors {
  /** One that does one thing after the other: the event loop of a process. */
  thread(): Worker
  /** One whose works do not wait for each other but for processors: a server with many processes. */
  readonly anyThread: Worker
}

/** All idle. */
export function createProcessors(time: VirtualTime, { processors: count, busy }: Machine): Processors {
  /** When each is idle again, from now on; an infinite number of them needs no list. */
  const idleAt = Number.isFinite(count) ? new Array<number>(count).fill(0) : undefined
  const allBusy = busy ** count
  const run: Worker = async (ms) => {
    if (ms === 0) return
    let until = time.now() + ms / (1 - allBusy)
    if (idleAt !== undefined) {
      const first = idleAt.indexOf(Math.min(...idleAt))
      until += Math.max(0, (idleAt[first] ?? 0) - time.now())
      idleAt[first] = until
    }
    await time.delay(until - time.now())
  }
  return {
    anyThread: run,
    thread() {
      let last: Promise<void> = Promise.resolve()
      return (ms) => {
        if (ms === 0) return Promise.resolve()
        last = last.then(() => run(ms))
        return last
      }
    },
  }
}
