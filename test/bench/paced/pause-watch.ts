// Loaded into a server before its program (`node --import`): notes each time that its event loop stood still for longer
// than 5 ms, and what held it. The file named by BENCH_PAUSES has them when the process has ended.

import { subscribe } from 'node:diagnostics_channel'
import { openSync, readSync, writeFileSync } from 'node:fs'
import { PerformanceObserver, performance } from 'node:perf_hooks'
import { type NamedWork, namedWorkChannel } from '../../../src/observability/named-work.js'
import { causesOf, type Pause, type Stretch } from './pauses.js'

const file = process.env['BENCH_PAUSES']
const longMs = 5
/** What is shorter explains no pause. */
const shortMs = 0.5
const gcKinds: Readonly<Record<number, string>> = {
  1: 'scavenge',
  4: 'mark-compact',
  8: 'incremental marking',
  16: 'weak callbacks',
}

if (file !== undefined && process.argv.includes('serve')) watch(file)

/** Milliseconds that the main thread has waited for a processor so far, which others had. */
function runQueue(): () => number {
  const descriptor = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const bytes = Buffer.alloc(96)
  return () => {
    const length = readSync(descriptor, bytes, 0, bytes.length, 0)
    return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1e6
  }
}

function watch(to: string): void {
  const stretches: Stretch[] = []
  const gaps: Omit<Pause, 'causes'>[] = []
  const waited = runQueue()
  subscribe(namedWorkChannel, (message) => {
    const work = message as NamedWork
    if (work.to - work.from >= shortMs) stretches.push(work)
  })
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.duration < shortMs) continue
      const { kind = 0 } = (entry as unknown as { detail?: { kind?: number } }).detail ?? {}
      const name = `collection: ${gcKinds[kind] ?? kind}`
      stretches.push({ name, from: entry.startTime, to: entry.startTime + entry.duration, isOnePiece: true })
    }
  })
  collections.observe({ entryTypes: ['gc'] })
  let last = performance.now()
  let before = waited()
  const look = () => {
    const at = performance.now()
    const now = waited()
    if (at - last > longMs + 1) gaps.push({ from: last, to: at, waitedMs: now - before })
    last = at
    before = now
    setTimeout(look, 1)
  }
  look()
  process.on('exit', () => {
    for (const entry of collections.takeRecords()) {
      stretches.push({
        name: 'collection',
        from: entry.startTime,
        to: entry.startTime + entry.duration,
        isOnePiece: true,
      })
    }
    const pauses: Pause[] = gaps.map((gap) => ({
      ...gap,
      from: gap.from + performance.timeOrigin,
      to: gap.to + performance.timeOrigin,
      causes: causesOf(gap, stretches),
    }))
    writeFileSync(to, JSON.stringify(pauses))
  })
}
