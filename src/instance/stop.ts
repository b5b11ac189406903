// The end of an instance, in order: readiness first, so that a balancer stops sending; then the listeners, each
// finishing what it has; the backend after the gate that uses it; the Store last, when nobody can write any more.

import { setTimeout as wait } from 'node:timers/promises'
import type { Settings } from '../config/settings/settings.js'
import { announceClosing, closeGracefully } from '../http/connections/closing.js'
import type { Collaborators } from './collaborators.js'
import type { Listeners } from './listeners.js'
import type { ReadinessState } from './readiness.js'

export interface StopOptions {
  listeners: Listeners
  deps: Collaborators
  settings: Settings
  readiness: ReadinessState
  stopWork: () => Promise<void>
}

/** Takes at most drainReadyMs + drainMs, and a moment. */
export async function stopInOrder({ listeners, deps, settings, readiness, stopWork }: StopOptions): Promise<void> {
  const { drainReadyMs, drainMs } = settings.server
  const wasReady = readiness.draining()
  const listening = [listeners.public, listeners.forwardAuth].filter((server) => server !== undefined)
  for (const server of listening) announceClosing(server)
  deps.metrics.draining.set(1)
  if (wasReady) await wait(drainReadyMs)
  await Promise.all(listening.map((server) => closeGracefully(server, drainMs)))
  await Promise.all([closeGracefully(listeners.management, 1_000), closeGracefully(listeners.backend, 1_000)])
  await stopWork()
  await deps.leave()
  await closeGracefully(listeners.operator, 1_000)
  await deps.close()
}
