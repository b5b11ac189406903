// Threads that check ranges of the ledger: its macs are seconds of work for a million rows, which no request should
// wait for. They live for one verification; one verification after the other has them.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { PlainStoreChoice } from '../../storage/sql/open-store.js'
import type { FoundRange, LedgerRange } from './check-range.js'
import type { RangeCheck } from './whole-ledger.js'

/** What a thread is given. */
export interface RangeThreadData {
  store: PlainStoreChoice
  masterKeys: readonly Uint8Array[]
}

/** More of them would take the processor from those who answer requests. */
const mostThreads = 4
const rangeRows = 25_000
/** A range takes less than a second on a machine that does nothing else. */
const patienceMs = 60_000

/**
 * Checks in threads. `check` rejects when there can be none, or one of them fails; `onTrouble` hears of it, too. A
 * program that runs from source has no compiler in a thread, and so no threads.
 */
export function createRangeThreads(data: RangeThreadData, onTrouble: (error: unknown) => void): RangeCheck | undefined {
  const file = threadFile()
  if (file === undefined) return undefined
  let running: Promise<unknown> = Promise.resolve()
  return {
    rows: rangeRows,
    least: 2 * rangeRows,
    check(ranges) {
      const mine = running.then(() => inThreads(file, data, ranges))
      running = mine.catch(onTrouble)
      return mine
    },
  }
}

async function inThreads(file: URL, data: RangeThreadData, ranges: readonly LedgerRange[]): Promise<FoundRange[]> {
  const found: FoundRange[] = new Array(ranges.length).fill(undefined)
  let next = 0
  let isOver = false
  const work = async (): Promise<void> => {
    const thread = new Worker(file, { workerData: data, name: 'ledger' })
    // A server that stops does not wait for it.
    thread.unref()
    // What fails while it ends has nobody to tell.
    thread.on('error', () => undefined)
    try {
      while (next < ranges.length && !isOver) {
        const at = next
        next += 1
        found[at] = await answerOf(thread, ranges[at] as LedgerRange)
        // What is wrong is found by those who can say what it is: there is nothing more to learn here.
        isOver ||= found[at] === undefined
      }
    } finally {
      isOver = true
      // It closes its connection and ends; that is nobody's wait, and one that hangs does not stay.
      thread.postMessage('end')
      const hung = setTimeout(() => thread.terminate(), patienceMs)
      hung.unref()
      thread.on('exit', () => clearTimeout(hung))
    }
  }
  const count = Math.min(mostThreads, availableParallelism(), ranges.length)
  const results = await Promise.allSettled(Array.from({ length: count }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return found
}

type Answer = { found: FoundRange } | { failed: string }

/** What it says of the range. Rejects when it fails, ends or takes too long. */
function answerOf(thread: Worker, range: LedgerRange): Promise<FoundRange> {
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(late)
      thread.off('message', onMessage).off('error', onError).off('exit', onExit)
    }
    const fail = (error: Error) => {
      over()
      reject(error)
    }
    const onMessage = (answer: Answer) => {
      if ('failed' in answer) return fail(new Error(answer.failed))
      over()
      resolve(answer.found)
    }
    const onError = (error: Error) => fail(error)
    const onExit = () => fail(new Error('a thread that verifies the ledger ended'))
    const late = setTimeout(() => fail(new Error('a thread that verifies the ledger takes too long')), patienceMs)
    thread.on('message', onMessage).on('error', onError).on('exit', onExit)
    thread.postMessage(range)
  })
}

/** Beside this file, in what is built of it. */
function threadFile(): URL | undefined {
  return import.meta.url.endsWith('.ts') ? undefined : new URL('./range-thread.js', import.meta.url)
}
