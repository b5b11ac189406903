// Measures how long after the answer to a revocation each instance refuses: tokens that every instance has in its
// cache, over kept-alive connections, sent again and again until the last one refuses.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Instance } from '../../support/cluster/cluster-instance.js'
import { type LedgerToken, whileRevoking } from '../../support/cluster/token-ledger.js'
import { watchStalls } from '../../support/traffic/stalls.js'
import { type JoinedIssuer, joinCluster } from './joined-issuer.js'
import { spread } from './measure.js'
import { managed, newApplication, newTenant, newToken, type TestApplication } from './provision.js'
import { type Scene, standstillMs } from './scene.js'

export type RevocableKind = 'token' | 'credential' | 'grant' | 'application' | 'user' | 'tenant'

/** Every kind that the revocation view knows. */
export const revocableKinds: readonly RevocableKind[] = [
  'token',
  'credential',
  'grant',
  'application',
  'user',
  'tenant',
]

interface Subject {
  token: LedgerToken
  revoke(): Promise<unknown>
}

/** How many are tried at the same time, and how often each instance gets one: together at most 300 a second. */
const atOnce = 2
const everyMs = 20
const patienceMs = 10_000

/** What is promised; a machine that has too much to do makes one of them slow now and then, so the slowest has threefold. */
const promisedMs = 1_000

/** Throws AssertionError unless all but one in a hundred (of few: one) were in time, and those within three times as much. */
export function checkPropagation(kind: RevocableKind, times: readonly number[]): void {
  const late = times.filter((ms) => ms >= promisedMs).length
  ok(late <= Math.max(1, times.length / 100), `${kind}: ${late} of ${times.length} late, ${spread(times)}`)
  ok(Math.max(...times) < 3 * promisedMs, `${kind}: ${spread(times)}`)
}

/** Milliseconds, for each of `count` revocations, from the answer until the last instance has refused. */
export async function measurePropagation(scene: Scene, kind: RevocableKind, count: number): Promise<number[]> {
  const { cluster } = scene
  const isDelegated = kind === 'user' || kind === 'grant'
  const joined = isDelegated ? await joinCluster(cluster) : undefined
  try {
    const first = cluster.instances[0] as Instance
    const home = await newTenant(first)
    const shared = kind === 'token' || isDelegated ? await newApplication(first, home) : undefined
    const next = (instance: Instance): Promise<Subject> =>
      joined !== undefined && shared !== undefined && isDelegated
        ? delegatedSubject(joined, kind, shared)
        : subject(instance, kind, { home, shared })
    return await measureAll(scene, next, count)
  } finally {
    await joined?.leave()
  }
}

async function measureAll(
  scene: Scene,
  next: (instance: Instance) => Promise<Subject>,
  count: number,
): Promise<number[]> {
  const { instances } = scene.cluster
  const times: number[] = []
  let turn = 0
  const worker = async (): Promise<void> => {
    while (turn < count) {
      const instance = instances[turn % instances.length] as Instance
      turn += 1
      times.push(await measureOne(scene, await next(instance)))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return times
}

/** What an operator revokes at this instance. */
async function subject(
  instance: Instance,
  kind: RevocableKind,
  { home, shared }: { home: string; shared: TestApplication | undefined },
): Promise<Subject> {
  const tenantId = kind === 'tenant' ? await newTenant(instance) : home
  const application = shared ?? (await newApplication(instance, tenantId))
  const token = await newToken(instance.port, application)
  const ids: Partial<Record<RevocableKind, string>> = {
    credential: application.keyId,
    application: application.applicationId,
    tenant: tenantId,
  }
  const body = kind === 'token' ? { what: kind, token: token.text } : { what: kind, id: ids[kind] }
  return { token, revoke: () => managed(instance, 'POST', '/revocations', body) }
}

/** A user or a grant, at an instance that this process is. */
async function delegatedSubject(
  joined: JoinedIssuer,
  kind: 'user' | 'grant',
  application: TestApplication,
): Promise<Subject> {
  const { token, userId, grantId } = await joined.userToken(application)
  return { token, revoke: () => joined.revoke(kind, kind === 'user' ? userId : grantId) }
}

async function measureOne(scene: Scene, { token, revoke }: Subject): Promise<number> {
  for (const target of scene.direct)
    equal((await scene.probe(target, token)).status, 200, `${target.via} takes it before`)
  await whileRevoking([token], revoke)
  const answeredMs = performance.now()
  const stalledMs = watchStalls()
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
  return Math.max(0, Math.max(...refusedMs) - answeredMs - standstillMs(stalledMs()))
}
