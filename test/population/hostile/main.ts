// The process of those who mean harm: beside the honest caller's, so that neither waits for the other's work.

import { setMaxListeners } from 'node:events'
import { stories } from './stories.js'
import type { HostileWorld } from './world.js'

export type Order =
  | { order: 'act'; acts: readonly { name: string; force: number }[]; world: HostileWorld }
  | { order: 'stop' }

/** What they were answered, by story. */
export type AnswerCounts = Record<string, Record<string, number>>

let stopped: AbortController | undefined
let counts: AnswerCounts = {}
let running: Promise<unknown> = Promise.resolve()

process.on('message', async (message: Order) => {
  if (message.order === 'act') {
    const controller = new AbortController()
    setMaxListeners(0, controller.signal)
    stopped = controller
    counts = {}
    running = Promise.all(
      message.acts.map(({ name, force }) => {
        const counted: Record<string, number> = {}
        counts[name] = counted
        const count = (what: string | number) => {
          counted[what] = (counted[what] ?? 0) + 1
        }
        return stories.find((one) => one.name === name)?.run(message.world, { signal: controller.signal, count, force })
      }),
    )
    return
  }
  stopped?.abort()
  await running
  process.send?.(counts)
})
process.once('disconnect', () => process.exit())
