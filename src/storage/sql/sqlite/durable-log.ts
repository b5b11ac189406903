// Makes commits durable without holding the event loop. The writing connection leaves its commits in the write-ahead
// log unsynced (synchronous = NORMAL); the log is synced here, by the runtime's own threads, and nobody is told of a
// commit before that. Those that come meanwhile share the next sync. A log is a prefix: what a later commit stands on is
// durable when it is (decision 137).

import { type FileHandle, open } from 'node:fs/promises'
import { NotWritable } from '../store.js'

/** Of a file, what is needed here; for tests. */
export type LogFile = Pick<FileHandle, 'datasync' | 'close'>

export interface DurableLog {
  /** Resolves when all that was committed before the call is durable. Throws NotWritable. */
  synced(): Promise<void>
  /** Whether a sync has failed and nothing has repaired it: the next commit could be lost although its own succeeds. */
  isDamaged(): boolean
  /** What the log had is durable in the database file. */
  repaired(): void
  close(): Promise<void>
}

export interface DurableLogOptions {
  /** Of the log; it is there from the first commit on, until the last connection closes. */
  file: string
  /** A disk that has not answered after so long has failed. */
  longestMs?: number
  openLog?: (file: string) => Promise<LogFile>
}

const longestMs = 10_000

/**
 * Opens nothing before the first sync. The descriptor is kept: SQLite has locks on its other files that the system drops
 * with the first descriptor that is closed, but none on this one.
 */
export function createDurableLog(options: DurableLogOptions): DurableLog {
  const openLog = options.openLog ?? ((file: string) => open(file, 'r+'))
  let handle: LogFile | undefined
  let damaged = false
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const sync = async (): Promise<void> => {
    try {
      handle ??= await openLog(options.file)
      await inTime(handle.datasync(), options.longestMs ?? longestMs)
      // What a later sync says is not about what an earlier one has lost.
      if (damaged) throw new Error('an earlier sync failed')
    } catch (error) {
      damaged = true
      throw new NotWritable('committed, but perhaps not durably', { cause: error })
    }
  }
  const begin = (): Promise<void> => {
    next = undefined
    const mine = sync().finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }

  return {
    synced() {
      if (running === undefined) return begin()
      // The one that runs may have begun before the commit.
      next ??= running.then(begin, begin)
      return next
    },
    isDamaged: () => damaged,
    repaired() {
      damaged = false
    },
    async close() {
      await (next ?? running)?.catch(() => undefined)
      await handle?.close()
      handle = undefined
    },
  }
}

async function inTime(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the disk did not answer within ${ms} ms`)), ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
