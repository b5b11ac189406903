// Many requests at once from one new application, evenly to all instances, as fast as they are answered.

import { ok } from 'node:assert/strict'
import { exchange, keptAlive, type Target } from '../../support/cluster/checking-client.js'
import type { Instance } from '../../support/cluster/cluster-instance.js'
import type { Exchange } from '../../support/cluster/token-ledger.js'
import { newApplication, newTenant, newToken } from './provision.js'
import type { Scene } from './scene.js'

export interface FloodOptions {
  /** Of the policy; its route is `/api/v2/<name>/{id}`. */
  name: string
  /** How many, or for how long. */
  requests?: number
  forMs?: number
  /** Every other status fails, and so does a 503 that does not say when to come back. */
  expected: readonly number[]
}

export interface Flooded {
  passed: number
  sent: number
  elapsedMs: number
  exchanges: readonly Exchange[]
}

const workersEach = 2

/** Sends them. Who passed is judged with the rest of the scene. */
export async function flood(scene: Scene, { name, requests, forMs, expected }: FloodOptions): Promise<Flooded> {
  const instance = scene.cluster.instances[0] as Instance
  const token = await newToken(instance.port, await newApplication(instance, await newTenant(instance)))
  const began = performance.now()
  const exchanges: Exchange[] = []
  const isDone = () => performance.now() - began >= (forMs ?? Number.POSITIVE_INFINITY)
  // Each instance gets its part, however long it takes to answer.
  const each = (requests ?? Number.POSITIVE_INFINITY) / workersEach / scene.direct.length
  const worker = async (target: Target): Promise<void> => {
    const agent = keptAlive(1)
    for (let sent = 0; sent < each && !isDone(); sent += 1) {
      exchanges.push(await exchange({ target, token, path: `/api/v2/${name}/1`, agent }))
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: workersEach }, () => scene.direct.map(worker)).flat())
  const elapsedMs = performance.now() - began
  for (const { status, via, fault } of exchanges) {
    ok(expected.includes(status), `${name} at ${via}: ${status}`)
    ok(fault === undefined, `${name} at ${via}: ${fault}`)
  }
  const passed = exchanges.filter(({ status }) => status === 200)
  scene.note(passed)
  return { passed: passed.length, sent: exchanges.length, elapsedMs, exchanges }
}
