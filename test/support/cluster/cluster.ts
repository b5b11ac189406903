// A whole Portcullis of several instances on this machine: processes of the program as it ships, HAProxy in front of
// them, a PostgreSQL and a Redis that they share, and a service behind them that writes down every request that reaches
// it.

import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Document } from 'yaml'
import { type PostgresOptions, type PostgresServer, startPostgres } from '../databases/postgresql.js'
import { startRedis, type TestRedis } from '../databases/redis.js'
import { steadyPort } from '../programs/steady-port.js'
import { type FaultProxy, startFaultProxy } from '../proxies/fault-proxy.js'
import { type Balancer, startBalancer } from '../proxies/haproxy.js'
import { until } from '../traffic/until.js'
import { type RecordingUpstream, startRecordingUpstream } from '../upstreams/recording-upstream.js'
import { clusterConfiguration } from './cluster-configuration.js'
import { createInstance, type Instance } from './cluster-instance.js'

export interface ClusterOptions {
  instances?: number
  /** Each instance reaches Redis and PostgreSQL through fault proxies of its own. */
  proxied?: boolean
  /** Last changes to the configuration of all. */
  configure?: (document: Document) => void
  /** In place of the Redis that is started. */
  redisUrl?: string
  /** In place of the URL of the PostgreSQL that is started; called when it runs. */
  storeUrl?: (postgres: PostgresServer) => Promise<string>
  redisOptions?: readonly string[]
  redisPassword?: string
  /** More of the environment of all. */
  env?: NodeJS.ProcessEnv
  postgres?: PostgresOptions
  /** False: the instances are described and not started. */
  started?: boolean
}

export interface Cluster {
  readonly instances: readonly Instance[]
  readonly balancer: Balancer
  readonly postgres: PostgresServer
  readonly redis: TestRedis
  readonly recorder: RecordingUpstream
  readonly folder: string
  /** Everything that the instances have logged. */
  logs(): string
}

/** Where teardown work is registered; tap's `t` is one. */
export interface Teardown {
  teardown(work: () => unknown): void
}

const firstNames = ['one', 'two', 'three', 'four', 'five']

/** Starts everything, the first instance before the others, and resolves when all are ready. It ends with the test. */
export async function startCluster(t: Teardown, options: ClusterOptions = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [postgres, redis, recorder] = await Promise.all([
    startPostgres(t, options.postgres ?? {}),
    startRedis(t, { port: await steadyPort(), ...redisOptionsOf(options) }),
    startRecordingUpstream(t),
  ])
  const postgresUrl = (await options.storeUrl?.(postgres)) ?? postgres.url
  const configFile = join(folder, 'portcullis.yaml')
  writeFileSync(configFile, clusterConfiguration(recorder.port, options.configure))
  const base = { folder, configFile, env: options.env ?? {}, masterKey: randomBytes(32).toString('base64url') }
  const instances: Instance[] = []
  const names = Array.from({ length: options.instances ?? 3 }, (_, at) => firstNames[at] ?? `instance-${at + 1}`)
  for (const name of names) {
    const paths = await pathsOf(t, options, postgres.port, redis.port)
    instances.push(await describe(name, base, { ...paths, postgresUrl, redisUrl: options.redisUrl ?? redis.url }))
  }
  t.teardown(() => Promise.all(instances.map((instance) => instance.stop('SIGKILL'))))
  const balancer = await startBalancer(t, { folder, servers: instances })
  if (options.started !== false) {
    const [first, ...others] = instances
    if (first !== undefined) await begin(first)
    await Promise.all(others.map(begin))
    await until('HAProxy sends to all', async () => (await balancer.up()).length === instances.length)
  }
  const logs = () => instances.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('')
  return { instances, balancer, postgres, redis, recorder, folder, logs }
}

/**
 * As a service manager does: a program that found no database in time, on a machine that stood still, is started again.
 */
function begin(instance: Instance): Promise<unknown> {
  return instance.start().catch((error: Error) => {
    if (!error.message.startsWith('the instance ended with 5:')) throw error
    console.log(`# started once more: ${error.message.split('\n')[0]}`)
    return instance.start()
  })
}

function redisOptionsOf({ redisOptions = [], redisPassword }: ClusterOptions): Parameters<typeof startRedis>[1] {
  return { options: redisOptions, ...(redisPassword === undefined ? {} : { password: redisPassword }) }
}

interface Paths {
  store: FaultProxy | undefined
  redis: FaultProxy | undefined
}

async function pathsOf(t: Teardown, options: ClusterOptions, storePort: number, redisPort: number): Promise<Paths> {
  if (options.proxied !== true) return { store: undefined, redis: undefined }
  return { store: await startFaultProxy(t, storePort), redis: await startFaultProxy(t, redisPort) }
}

async function describe(
  name: string,
  base: { folder: string; configFile: string; env: NodeJS.ProcessEnv; masterKey: string },
  storage: Paths & { postgresUrl: string; redisUrl: string },
): Promise<Instance> {
  const folder = join(base.folder, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'log'), '')
  const port = await steadyPort()
  const operatorPort = await steadyPort()
  const env = {
    ...base.env,
    PORTCULLIS_LISTEN: `127.0.0.1:${port}`,
    PORTCULLIS_OPERATOR: `127.0.0.1:${operatorPort}`,
    PORTCULLIS_DATA: './data',
    PORTCULLIS_MASTER_KEYS: base.masterKey,
    PORTCULLIS_STORE: throughProxy(storage.postgresUrl, storage.store),
    PORTCULLIS_REDIS: throughProxy(storage.redisUrl, storage.redis),
    NODE_ENV: 'production',
  }
  const { store, redis } = storage
  return createInstance({ name, port, operatorPort, folder, configFile: base.configFile, env, store, redis })
}

function throughProxy(url: string, proxy: FaultProxy | undefined): string {
  if (proxy === undefined) return url
  const changed = new URL(url)
  changed.port = String(proxy.port)
  return changed.href
}
