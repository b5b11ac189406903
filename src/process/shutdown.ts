// How a process of ours ends: on a signal, or on an error that nobody caught, with what is in flight finished; at once
// on a second signal. Not on SIGHUP, which only has it look at its configuration, and not on signals by which the
// system says that the process is broken.

import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'

/** After these Node must not run code of ours (its documentation, `Signal events`). */
const broken = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const
const ending = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR2'] as const

/** For a drain that hangs; the drain has deadlines of its own. */
const slackMs = 5_000

export interface StopOptions {
  log: FastifyBaseLogger
  /** What `stop` may take. */
  longestStopMs: number
  stop(): Promise<void>
  /** What SIGHUP asks for. In a worker nothing: its primary gets the signal. */
  hangUp?(): void
  /**
   * In a worker a second signal is the first one again: a terminal sends it to all processes, and so does the primary.
   */
  worker?: boolean
}

/**
 * Never settles while all is well: the process ends with 0 after a signal, with 1 after an error or a second signal.
 */
export function untilStopped({ log, longestStopMs, stop, hangUp, worker = false }: StopOptions): Promise<never> {
  process.on('SIGHUP', () => hangUp?.())
  // An empty event loop is no wish to end: after a failed start it must not turn the exit code into 0.
  const skip = ['SIGHUP' as const, 'beforeExit' as const, ...broken, ...(worker ? ending : [])]
  const closing = closeWithGrace({ delay: longestStopMs + slackMs, logger: false, skip }, async ({ err, signal }) => {
    if (err !== undefined) log.fatal({ err }, 'an error that nobody caught')
    else log.info({ signal }, 'stopping')
    await stop()
  })
  if (worker) onStopSignal(once(() => closing.close()))
  return new Promise(() => undefined)
}

/** By a signal, or because the primary is gone: then nobody new comes, but what is in flight is finished. */
function onStopSignal(end: () => void): void {
  for (const signal of ending) process.on(signal, end)
  cluster.worker?.once('disconnect', () => {
    // Without this mark Node ends the process right after this event.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
    end()
  })
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
