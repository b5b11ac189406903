// The primary's watch over a worker: it asks four times a second, and ends one that has said nothing for ten seconds. A
// worker that hangs would keep its connections for ever, and nobody can tell it anything. Starting another one takes
// seconds too, on a busy machine many, so after four the primary is told that it may need one.

import type { Worker } from 'node:cluster'

export interface WorkerWatchOptions {
  everyMs?: number
  doubtMs?: number
  silentMs?: number
  /** Whether the worker may be silent now: it is starting, or puts new rules in place. */
  excused(): boolean
  /** It has been silent for a while; `onHeard` is told when it speaks again after all. */
  onDoubt(): void
  onHeard(): void
  /** Is told once; then the worker is ended. */
  onSilent(): void
}

/** A primary that comes to its turn so late stood still itself, for so long. */
const pausedMs = 1_000

/**
 * Ends with the worker. Time in which the primary stood still itself, with the whole machine or alone, does not count.
 */
export function watchWorker(worker: Worker, options: WorkerWatchOptions): void {
  const { everyMs = 250, doubtMs = 4_000, silentMs = 10_000, excused, onDoubt, onHeard, onSilent } = options
  let heardAt = performance.now()
  let turnAt = heardAt
  let inDoubt = false
  const hear = () => {
    heardAt = performance.now()
    if (inDoubt) onHeard()
    inDoubt = false
  }
  const timer = setInterval(() => {
    const now = performance.now()
    const sinceTurn = now - turnAt
    turnAt = now
    if (excused()) heardAt = now
    else if (sinceTurn > pausedMs) heardAt += sinceTurn
    if (!inDoubt && now - heardAt > doubtMs) {
      inDoubt = true
      onDoubt()
    }
    if (now - heardAt <= silentMs) return void worker.send({ portcullis: 'heartbeat' }, undefined, () => undefined)
    clearInterval(timer)
    inDoubt = false
    onSilent()
    worker.process.kill('SIGKILL')
  }, everyMs)
  timer.unref()
  worker.on('message', hear).once('exit', () => clearInterval(timer))
}

/** In a worker: answers. */
export function answerHeartbeats(): void {
  process.on('message', (message: { portcullis?: string }) => {
    if (message.portcullis === 'heartbeat')
      process.send?.({ portcullis: 'heartbeat' }, undefined, undefined, () => undefined)
  })
}
