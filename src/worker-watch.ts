// The primary's watch over a worker: it asks every second, and ends one that has said nothing for ten. A worker that hangs would
// keep its connections for ever, and nobody can tell it anything.

import type { Worker } from 'node:cluster'

export interface WorkerWatchOptions {
  everyMs?: number
  silentMs?: number
  /** Whether the worker may be silent now: it is starting, or puts new rules in place. */
  excused(): boolean
  /** Is told once; then the worker is ended. */
  onSilent(): void
}

/** Ends with the worker. A primary that stood still itself, with the whole machine or alone, begins to count anew. */
export function watchWorker(worker: Worker, options: WorkerWatchOptions): void {
  const { everyMs = 1_000, silentMs = 10_000, excused, onSilent } = options
  let heardAt = performance.now()
  let turnAt = heardAt
  const hear = () => {
    heardAt = performance.now()
  }
  const timer = setInterval(() => {
    const now = performance.now()
    const paused = now - turnAt > 2 * everyMs
    turnAt = now
    if (paused || excused()) heardAt = now
    if (now - heardAt <= silentMs) return void worker.send({ portcullis: 'beat' }, undefined, () => undefined)
    clearInterval(timer)
    onSilent()
    worker.process.kill('SIGKILL')
  }, everyMs)
  timer.unref()
  worker.on('message', hear).once('exit', () => clearInterval(timer))
}

/** In a worker: answers. */
export function answerBeats(): void {
  process.on('message', (message: { portcullis?: string }) => {
    if (message.portcullis === 'beat') process.send?.({ portcullis: 'beat' }, undefined, undefined, () => undefined)
  })
}
