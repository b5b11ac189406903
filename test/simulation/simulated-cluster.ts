// So many simulated instances on one PostgreSQL and perhaps one Redis, and what is done to them.

import { createLedger } from '../../src/ledger/chain.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import { revoke } from '../../src/revocation/revoke.js'
import { createSimulatedInstance, type SimulatedInstance, type World } from './instance.js'
import { createProcessors, freeMachine, type Machine } from './machine.js'
import type { Link } from './network.js'
import type { Starts } from './scenarios.js'
import { createVirtualRedis, type VirtualRedis } from './virtual-redis.js'
import { createVirtualPostgres } from './virtual-store.js'
import { createVirtualTime } from './virtual-time.js'

export interface ClusterOptions {
  instances: number
  seed: number
  link: Link
  /** Absent: nothing waits for a processor or a disk. */
  machine?: Machine
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
  const { link, seed, machine = freeMachine } = options
  const time = createVirtualTime()
  const processors = createProcessors(time, machine)
  const postgres = await createVirtualPostgres(time, machine.commitMs)
  const redisThread = processors.thread()
  const redis = options.withRedis ? createVirtualRedis(time, () => redisThread(machine.commandMs)) : undefined
  const world: World = { time, postgres, redis, link, machine, processors, seed }
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
    ...{ time, postgres, redis, link, machine, processors, seed, instances },
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

const audit = createLedger({ keys: createLedgerKeys([new Uint8Array(32).fill(7)]), now: () => 0 })

/** Revokes all tokens of an application, as the program does; the number of the change. Rejects as it does. */
export async function revokeAll({ feed }: SimulatedInstance, applicationId: string, at: number): Promise<number> {
  const deps = { feed, ledger: audit, actor: { kind: 'operator' } as const, now: () => at, tokenLifetimeMs: 86_400_000 }
  return (await revoke(deps, { what: 'application', id: applicationId })).seq
}

/** Whether the instance lets a call with a token of this application in that was issued before anything changed. */
export function isAccepted({ view }: SimulatedInstance, applicationId: string, nowMs: number): boolean {
  const token = { jti: 'jti', credentialId: 'key', applicationId, tenantId: 'tenant', seq: 0 }
  return !view.isStale() && view.refusal(token, nowMs) === undefined
}
