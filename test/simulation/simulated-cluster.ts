// So many simulated instances on one PostgreSQL and perhaps one Redis, and what is done to them.

import { putRevocation } from '../../src/storage/sql/revocation/revocations.js'
import { createSimulatedInstance, type SimulatedInstance, type World } from './instance.js'
import type { Link } from './network.js'
import type { Starts } from './scenarios.js'
import { createVirtualRedis, type VirtualRedis } from './virtual-redis.js'
import { createVirtualPostgres } from './virtual-store.js'
import { createVirtualTime } from './virtual-time.js'

export interface ClusterOptions {
  instances: number
  seed: number
  link: Link
  /** False: they follow by polling. */
  withRedis: boolean
}

export interface SimulatedCluster extends Omit<World, 'redis'> {
  redis: VirtualRedis | undefined
  instances: SimulatedInstance[]
  /** What it cost PostgreSQL that all started at once. */
  starts: Starts
  /** Starts one more. */
  add(): Promise<SimulatedInstance>
  stop(): Promise<void>
}

/** All started, and some seconds later. */
export async function startSimulatedCluster(options: ClusterOptions): Promise<SimulatedCluster> {
  const time = createVirtualTime()
  const postgres = await createVirtualPostgres(time)
  const redis = options.withRedis ? createVirtualRedis(time) : undefined
  const world: World = { time, postgres, redis, link: options.link, seed: options.seed }
  const instances: SimulatedInstance[] = []
  const make = (): SimulatedInstance => {
    const instance = createSimulatedInstance(world, instances.length)
    instances.push(instance)
    return instance
  }
  await time.settled(Promise.all(Array.from({ length: options.instances }, () => make().start())))
  const { statements, rows } = postgres.counts
  const starts = {
    statements: Object.values(statements).reduce((sum, each) => sum + each, 0),
    rows,
    seconds: time.now() / 1_000,
  }
  await time.pass(5_000)
  return {
    starts,
    ...{ time, postgres, redis, link: options.link, seed: options.seed, instances },
    async add() {
      const instance = make()
      await time.settled(instance.start())
      return instance
    },
    async stop() {
      await time.settled(Promise.all(instances.map((instance) => instance.stop())))
      postgres.close()
    },
  }
}

/** What src/revocation/revoke.ts does for all tokens of an application, without the ledger. Rejects as it does. */
export async function revokeAll({ feed }: SimulatedInstance, applicationId: string, at: number): Promise<number> {
  const expiresAt = at + 86_400_000
  const { seq } = await feed.commit(async (tx, record) => {
    const seq = record({ kind: 'revoked', what: 'application', id: applicationId, expiresAt })
    await putRevocation(tx, { what: 'application', id: applicationId, seq, at, expiresAt, holder: undefined })
  })
  return seq
}

/** Whether the instance lets a call with a token of this application in that was issued before anything changed. */
export function isAccepted({ view }: SimulatedInstance, applicationId: string, nowMs: number): boolean {
  const token = { jti: 'jti', credentialId: 'key', applicationId, tenantId: 'tenant', seq: 0 }
  return !view.isStale() && view.refusal(token, nowMs) === undefined
}
