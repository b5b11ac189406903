// The handle of the hostile process.

import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Test } from '../test.js'
import type { AnswerCounts, Order } from './main.js'
import type { HostileWorld } from './world.js'

export interface HostileProcess {
  /** Begins to act; returns at once. */
  act(acts: readonly { name: string; force: number }[]): void
  /** Ends all of it; what they were answered. */
  stop(): Promise<AnswerCounts>
}

/** Steps of priority behind the gate and the honest caller. */
const behind = 5

/** Starts it; it ends with the test. */
export function startHostile(t: Test, world: HostileWorld): HostileProcess {
  const child = start()
  t.teardown(() => child.kill('SIGKILL'))
  const order = (message: Order) => child.send(message)
  return {
    act: (acts) => void order({ order: 'act', acts, world }),
    stop: () =>
      new Promise((resolve, reject) => {
        child.once('message', (counts: AnswerCounts) => resolve(counts))
        child.once('exit', () => reject(new Error('the hostile process ended')))
        order({ order: 'stop' })
      }),
  }
}

function start(): ChildProcess {
  const fromSource = import.meta.url.endsWith('.ts')
  const file = fileURLToPath(new URL(fromSource ? './main.ts' : './main.js', import.meta.url))
  // A session of its own, because Linux shares the processor out among sessions first.
  const options = { execArgv: fromSource ? ['--import', import.meta.resolve('tsx')] : [], detached: true }
  const child = fork(file, [], options)
  child.setMaxListeners(0)
  if (child.pid !== undefined) stepBack(child.pid)
  return child
}

/** As if they had machines of their own: what their side of the work costs is not taken from the gate's processors. */
function stepBack(pid: number): void {
  setPriority(pid, Math.min(19, getPriority() + behind))
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(behind))
  } catch {
    // There are no such groups here.
  }
}
