// A cluster to which everything happens that networks and machines do, drawn from a seed; and what must never be seen
// in it: a token that is accepted longer after the answer to its revocation than was promised.

import { createChance } from './chance.js'
import type { SimulatedInstance } from './instance.js'
import { isAccepted, revokeAll, type SimulatedCluster, startSimulatedCluster } from './simulated-cluster.js'

/** How long after the answer an instance may accept: one that is whole, and one that is cut off. */
export const promised = { wholeMs: 1_000, cutOffMs: 5_000 }

export interface Observed {
  /** Revocations that were answered with 200, and with 503. */
  answered: number
  refused: number
  /** Moments at which an instance refused everything because its view was stale. */
  stale: number
  /** What broke a promise, in words. */
  broken: string[]
}

interface Revoked {
  applicationId: string
  answeredAt: number
}

/** How often it is looked whether a promise is broken. */
const LOOK_MS = 50
/** So long after a cut is over an instance has found back. */
const FOUND_BACK_MS = 6_000
const DAY = 1_800_000_000_000

/** So many instances for so long; every second or so something happens to one of them. */
export async function sufferPartitions(options: {
  seed: number
  instances: number
  seconds: number
}): Promise<Observed> {
  const { seed, instances, seconds } = options
  const link = { roundTripMs: 2, jitterMs: 2, lostPerMille: 2 }
  const cluster = await startSimulatedCluster({ instances, seed, link, withRedis: seed % 4 !== 0 })
  const { time } = cluster
  const chance = createChance(seed)
  const observed: Observed = { answered: 0, refused: 0, stale: 0, broken: [] }
  const revoked: Revoked[] = []
  const disturbedAt = new Map<SimulatedInstance, number>()
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T

  const revoke = (): void => {
    const applicationId = `application-${revoked.length}-${observed.refused}`
    revokeAll(pick(cluster.instances), applicationId, DAY).then(
      () => {
        observed.answered += 1
        revoked.push({ applicationId, answeredAt: time.now() })
      },
      () => {
        observed.refused += 1
      },
    )
  }
  const disturb = (): void => {
    const victim = pick(cluster.instances)
    const { store, redis } = victim.ways
    const isCut = chance() < 0.7
    for (const way of pick([[store], redis, [store, ...redis], [pick(redis)]])) way.isCut = isCut
    disturbedAt.set(victim, time.now())
  }
  const heal = (): void => {
    for (const instance of cluster.instances) {
      const all = [instance.ways.store, ...instance.ways.redis]
      if (all.some(({ isCut }) => isCut)) disturbedAt.set(instance, time.now())
      for (const way of all) way.isCut = false
    }
  }
  const isWhole = (instance: SimulatedInstance): boolean => {
    const all = [instance.ways.store, ...instance.ways.redis]
    const since = time.now() - (disturbedAt.get(instance) ?? Number.NEGATIVE_INFINITY)
    return all.every(({ isCut }) => !isCut) && since > FOUND_BACK_MS
  }
  const look = (): void => {
    for (const instance of cluster.instances) {
      if (instance.view.isStale()) observed.stale += 1
      const bound = isWhole(instance) ? promised.wholeMs : promised.cutOffMs
      for (const { applicationId, answeredAt } of revoked) {
        const lateMs = time.now() - answeredAt
        if (lateMs <= bound || !isAccepted(instance, applicationId, DAY)) continue
        observed.broken.push(`${instance.name} accepts ${applicationId} ${Math.round(lateMs)} ms after the answer`)
      }
    }
  }
  const replace = (): Promise<void> => restart(cluster, Math.floor(chance() * cluster.instances.length))

  for (let elapsed = 0; elapsed < seconds * 1_000; elapsed += LOOK_MS) {
    if (chance() < 0.1) revoke()
    if (chance() < 0.03) disturb()
    if (chance() < 0.004) heal()
    if (chance() < 0.005) await replace()
    await time.pass(LOOK_MS)
    look()
  }
  heal()
  await time.pass(FOUND_BACK_MS)
  look()
  for (const instance of cluster.instances) {
    if (instance.view.isStale()) observed.broken.push(`${instance.name} has not found back`)
  }
  await cluster.stop()
  return observed
}

/** One goes without a word, as after `kill -9`, and another starts in its place when it can reach the Store. */
async function restart(cluster: SimulatedCluster, at: number): Promise<void> {
  const [gone] = cluster.instances.splice(at, 1)
  if (gone === undefined) return
  for (const way of [gone.ways.store, ...gone.ways.redis]) way.isCut = true
  void gone.stop()
  await cluster.add()
}
