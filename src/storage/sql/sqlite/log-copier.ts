// Copies the write-ahead log into the database file (a checkpoint) in a thread with a connection of its own: it syncs
// two files and took the event loop for tens of milliseconds where the engine did it at a commit. It runs while there is
// something to do, and ends when there was nothing for a while: a thread keeps some megabytes.

import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

export interface LogCopier {
  /** To be called after each commit. */
  committed(): void
  /** Ends the thread. What it has not copied stays in the log, and is durable there. */
  close(): Promise<void>
}

export interface LogCopierOptions {
  /** Of the database. */
  file: string
  /** When there is no thread, or it failed: copies on the event loop, as the engine would. */
  copyHere: () => void
  onCopied?: () => void
}

/** As often as the engine itself, which counts pages: a commit of ours writes some. */
const commitsBetween = 250
/** What little is committed is copied after so long. */
const longestMs = 10 * 60_000
const idleMs = 30_000

/** No thread yet. */
export function createLogCopier({ file, copyHere, onCopied = () => undefined }: LogCopierOptions): LogCopier {
  let commits = 0
  let since = performance.now()
  let thread: Worker | undefined
  let isBusy = false
  let idle: NodeJS.Timeout | undefined

  const end = async (): Promise<void> => {
    const ending = thread
    thread = undefined
    clearTimeout(idle)
    if (ending === undefined) return
    ending.ref()
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.postMessage('end')
    await ended
  }
  const settle = (isCopied: boolean) => {
    if (!isBusy) return
    isBusy = false
    if (isCopied) onCopied()
    else copyHere()
    idle = setTimeout(() => void end(), idleMs).unref()
  }
  const start = (): Worker => {
    const made = new Worker(copying, { eval: true, workerData: { file, library: libraryPath() } })
    made.unref()
    made.on('message', ({ copied }: { copied: boolean }) => settle(copied))
    made.on('error', () => {
      if (thread === made) thread = undefined
      settle(false)
    })
    return made
  }

  return {
    committed() {
      commits += 1
      if (isBusy || (commits < commitsBetween && performance.now() - since < longestMs)) return
      commits = 0
      since = performance.now()
      isBusy = true
      clearTimeout(idle)
      thread ??= start()
      thread.postMessage('copy')
    },
    close: end,
  }
}

/** Undefined where the runtime has an engine itself. */
function libraryPath(): string | undefined {
  if (process.getBuiltinModule('node:sqlite') !== undefined) return undefined
  return createRequire(import.meta.url).resolve('@photostructure/sqlite')
}

/**
 * What the thread runs; a text, because it is the same from source and from the build. Passive: it waits for nobody and
 * keeps nobody waiting.
 */
const copying = `
const { parentPort, workerData: { file, library } } = require('node:worker_threads')
const opened = (async () => {
  const { DatabaseSync } = library === undefined ? process.getBuiltinModule('node:sqlite') : await import(library)
  const database = new DatabaseSync(file)
  for (const pragma of ['busy_timeout = 0', 'synchronous = full', 'fullfsync = on', 'checkpoint_fullfsync = on']) {
    database.exec('pragma ' + pragma)
  }
  return database
})()
parentPort.on('message', async (message) => {
  const database = await opened.catch(() => undefined)
  if (message === 'end') {
    database?.close()
    return parentPort.close()
  }
  let copied = false
  try {
    database.exec('pragma wal_checkpoint(passive)')
    copied = true
  } catch {}
  parentPort.postMessage({ copied })
})
`
