// Ends this process when its event loop stands still: whatever holds it would hold it for ever, and who starts it again
// can serve. A thread of its own watches a number that the loop counts up. It counts its own turns, so a machine that
// stood still as a whole, and a process that was stopped and goes on, are nobody's fault.

import { Worker } from 'node:worker_threads'

/** Longer than any pause of a healthy process. */
export const silentSeconds = 10

/** While rules are read again the loop may stand still for longer: a document of megabytes takes seconds. */
const longestLoadSeconds = 120

/** The thread looks so often. */
const lookMs = 250

const [turns, isLoading] = [0, 1] as const
/** One for the process. */
const shared = new Int32Array(new SharedArrayBuffer(8))

/** Runs work that may take the event loop for longer. */
export function allowingSilence<T>(work: () => T): T {
  Atomics.add(shared, isLoading, 1)
  try {
    return work()
  } finally {
    Atomics.sub(shared, isLoading, 1)
    Atomics.add(shared, turns, 1)
  }
}

/** Begin it when the start is over: migrations may take their time. `facts` are for the line on standard error. */
export function startWatchdog(facts: Record<string, unknown>, seconds = silentSeconds): void {
  const msg = `the event loop stood still for ${seconds} s, so this process ends; its supervisor starts another`
  const line = JSON.stringify({ level: 'fatal', ...facts, reason: 'event_loop_silent', msg })
  const workerData = { shared, seconds, longestLoadSeconds, pid: process.pid, line }
  const thread = new Worker(watching, { eval: true, workerData })
  thread.unref()
  // What becomes of the thread must not become of the server.
  thread.on('error', () => undefined)
  setInterval(() => Atomics.add(shared, turns, 1), lookMs / 2).unref()
}

/**
 * What the thread runs; a text, because it is the same from source and from the build. Signals that are caught need the
 * loop.
 */
const watching = `
const { workerData: { shared, seconds, longestLoadSeconds, pid, line } } = require('node:worker_threads')
const { writeSync } = require('node:fs')
let last = Atomics.load(shared, ${turns})
let still = 0
setInterval(() => {
  const now = Atomics.load(shared, ${turns})
  still = now === last ? still + 1 : 0
  last = now
  if (still * ${lookMs / 1_000} < (Atomics.load(shared, ${isLoading}) > 0 ? longestLoadSeconds : seconds)) return
  try { writeSync(2, line + '\\n') } catch {}
  process.kill(pid, 'SIGKILL')
}, ${lookMs})
`
