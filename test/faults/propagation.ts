// Measures how long after the answer to a revocation each instance refuses: tokens that every instance has in its cache,
// over kept-alive connections, asked again and again until the last one refuses.

import { equal } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Instance } from '../support/cluster-instance.js'
import { type LedgerToken, whileRevoking } from '../support/token-ledger.js'
import { managed, newApplication, newTenant, newToken } from './provision.js'
import type { Scene } from './scene.js'

export type RevocableKind = 'token' | 'credential' | 'application' | 'tenant'

/** What can be revoked today; users and grants come with sign-in. */
export const revocableKinds: readonly RevocableKind[] = ['token', 'credential', 'application', 'tenant']

interface Subject {
  token: LedgerToken
  /** The body of `POST /revocations`. */
  body: Record<string, string>
}

/** How many are asked about at the same time, and how often each instance is asked: together at most 300 a second. */
const atOnce = 2
const everyMs = 20
const patienceMs = 10_000

/** Milliseconds, for each of `count` revocations, from the answer until the last instance has refused. */
export async function measurePropagation(scene: Scene, kind: RevocableKind, count: number): Promise<number[]> {
  const { instances } = scene.cluster
  const times: number[] = []
  const home = await newTenant(instances[0] as Instance)
  const shared = kind === 'token' ? await newApplication(instances[0] as Instance, home) : undefined
  let turn = 0
  const worker = async (): Promise<void> => {
    while (turn < count) {
      const instance = instances[turn % instances.length] as Instance
      turn += 1
      const tenantId = kind === 'tenant' ? await newTenant(instance) : home
      const application = shared ?? (await newApplication(instance, tenantId))
      const token = await newToken(instance.port, application)
      const ids = { credential: application.keyId, application: application.applicationId, tenant: tenantId }
      const body: Record<string, string> =
        kind === 'token' ? { what: kind, token: token.text } : { what: kind, id: ids[kind] }
      times.push(await measureOne(scene, instance, { token, body }))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return times
}

async function measureOne(scene: Scene, instance: Instance, { token, body }: Subject): Promise<number> {
  for (const target of scene.direct)
    equal((await scene.probe(target, token)).status, 200, `${target.via} takes it before`)
  await whileRevoking([token], () => managed(instance, 'POST', '/revocations', body))
  const answeredMs = performance.now()
  const refusedMs = await Promise.all(
    scene.direct.map(async (target) => {
      for (;;) {
        const { status, endedMs } = await scene.probe(target, token)
        if (status === 401) return endedMs
        if (performance.now() - answeredMs > patienceMs) throw new Error(`${target.via} did not refuse within 10 s`)
        await wait(everyMs)
      }
    }),
  )
  return Math.max(...refusedMs) - answeredMs
}
