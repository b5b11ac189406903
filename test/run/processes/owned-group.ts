// The processes of a run: each leads a group of its own, so that what it started ends with it, also when the run is
// ended by a signal.

import {
  type ChildProcess,
  type SpawnOptionsWithStdioTuple,
  type StdioNull,
  type StdioPipe,
  spawn,
} from 'node:child_process'

const running = new Set<ChildProcess>()
let isWatching = false

/** Starts Node with these words; it ends at the latest when this process does, with all that it started. */
export function startGroup(
  words: readonly string[],
  options: Omit<SpawnOptionsWithStdioTuple<StdioNull, StdioPipe, StdioPipe>, 'detached'>,
) {
  if (!isWatching) watch()
  const child = spawn(process.execPath, [...words], { ...options, detached: true })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

/** Sends a signal to a group; one that is gone already hears nothing. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {}
}

function watch(): void {
  isWatching = true
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
  process.once('exit', () => {
    for (const child of running) signalGroup(child, 'SIGTERM')
  })
}
