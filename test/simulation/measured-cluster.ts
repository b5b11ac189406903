// The same figures of real processes: the program as it ships, on one PostgreSQL and one Redis of the test's own, which
// count what they are sent.

import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { Document } from 'yaml'
import { statuses } from '../faults/scene/measure.js'
import { newApplication, newTenant, newToken } from '../faults/scene/provision.js'
import { startTraffic } from '../support/cluster/checking-client.js'
import { type Cluster, startCluster, type Teardown } from '../support/cluster/cluster.js'
import type { Instance } from '../support/cluster/cluster-instance.js'
import { busyWhile, measureMachine, type Requests } from './measured-machine.js'
import { callRate, type Figures, type Lag, type Load } from './scenarios.js'
import { type Command, commands } from './virtual-redis.js'
import { type Table, tableOf, tables } from './virtual-store.js'

/** So many processes are started at a time. */
const STARTS_AT_ONCE = 3
/** Of each answer of `/readyz`, which the balancer of a test wants many times a second. */
const readinessCheck = 'select seq from feed_head'
/** What share of the calls must be answered for what they cost to say something: an instance may be busy now and then. */
const leastAnswered = 0.95
/** Until what a start leaves to do is done. */
const SETTLE_MS = 10_000

/** Starts so many, measures for `seconds` each, and ends them with `t`. */
export async function measure(t: Teardown, instances: number, seconds: number): Promise<Figures> {
  const cluster = await startCluster(t, {
    instances,
    started: false,
    configure: withCallLimits,
    postgres: { settings: { shared_preload_libraries: 'pg_stat_statements', max_connections: '500' } },
  })
  const [first, ...others] = cluster.instances
  await first?.start()
  for (let at = 0; at < others.length; at += STARTS_AT_ONCE)
    await Promise.all(others.slice(at, at + STARTS_AT_ONCE).map((each) => each.start()))
  await cluster.postgres.admin('create extension if not exists pg_stat_statements')
  await wait(SETTLE_MS)
  const requests = await revoking(cluster)
  let rest: Load | undefined
  const busy = await busyWhile(async () => {
    rest = await loadWhile(cluster, () => wait(seconds * 1_000))
  })
  if (rest === undefined) throw new Error('nothing was measured')
  const { machine, link } = await measureMachine(cluster, { requests, count: seconds, busy })
  const streamLag = await lagOf(cluster, requests.change, seconds)
  const perThousandCalls = await callsOf(cluster, rest, seconds)
  const connections = await connectionsOf(cluster)
  await cluster.redis.kill()
  const pollLag = await lagOf(cluster, requests.change, seconds)
  return { instances, rest, streamLag, pollLag, perThousandCalls, connections, machine, link }
}

/** The limits that scenarios.ts gives a call; the rest of the configuration lets everything through. */
function withCallLimits(document: Document): void {
  document.setIn(['limits', 'application', 'rate'], `${callRate.limit}/min`)
  document.setIn(['limits', 'application', 'burst'], callRate.burst)
}

async function loadWhile({ postgres, redis }: Cluster, work: () => Promise<unknown>): Promise<Load> {
  await postgres.admin('select pg_stat_statements_reset()')
  const before = await redisState(redis)
  const bytesBefore = bytesTo(postgres.port)
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1_000
  const bytes = bytesTo(postgres.port) - bytesBefore
  const after = await redisState(redis)
  const statements = Object.fromEntries(tables.map((table) => [table, 0])) as Record<Table, number>
  let rows = 0
  for (const row of await postgres.admin('select query, calls, rows from pg_stat_statements')) {
    const query = String(row['query'])
    if (/pg_stat|set_config/.test(query) || query === readinessCheck) continue
    const table = tableOf(query)
    statements[table] += Number(row['calls']) / seconds
    if (table !== 'others') rows += Number(row['rows']) / seconds
  }
  const each = commands.map((command) => [command, (after.of(command) - before.of(command)) / seconds])
  return {
    statements,
    rows,
    storeBytes: bytes / seconds,
    commands: Object.fromEntries(each) as Record<Command, number>,
    redisBytes: (after.bytes - before.bytes) / seconds,
  }
}

async function redisState(redis: Cluster['redis']) {
  const text = `${await redis.command('info', 'commandstats')}\n${await redis.command('info', 'stats')}`
  const numberAfter = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0)
  return {
    of: (command: Command) => numberAfter(new RegExp(`cmdstat_${command}:calls=(\\d+)`)),
    bytes: numberAfter(/total_net_input_bytes:(\d+)/) + numberAfter(/total_net_output_bytes:(\d+)/),
  }
}

/** Bytes that the open connections to a port on this machine have carried both ways, as the kernel counts them. */
function bytesTo(port: number): number {
  const text = execFileSync('ss', ['-tinH', 'dport', '=', `:${port}`], { encoding: 'utf8' })
  const all = [...text.matchAll(/bytes_(?:acked|received):(\d+)/g)]
  return all.reduce((sum, [, bytes]) => sum + Number(bytes), 0)
}

/** Revoking all tokens of an application of its own, at the instance `at`; and requests to revoke what there is not. */
async function revoking({ instances }: Cluster): Promise<Requests> {
  const [first] = instances
  if (first === undefined) throw new Error('there is no instance')
  const { applicationId: id } = await newApplication(first, await newTenant(first))
  await wait(SETTLE_MS / 5)
  const revoke = (what: string) => async (at: number) =>
    instances[at % instances.length]?.manage('POST', '/revocations', { what, id }).catch(() => undefined)
  return { change: revoke('application'), mistake: revoke('mistake') }
}

/** Two revocations a second, at instances in turn. */
async function lagOf({ instances }: Cluster, revoke: Requests['change'], seconds: number): Promise<Lag> {
  const before = await propagationOf(instances)
  for (let i = 0; i < seconds * 2; i += 1) {
    await revoke(i)
    await wait(Math.random() * 1_000)
  }
  await wait(3_000)
  const after = await propagationOf(instances)
  const buckets = after.buckets.map(([bound, count], at) => [bound, count - (before.buckets[at]?.[1] ?? 0)] as const)
  const count = after.count - before.count
  const boundOf = (share: number) => (buckets.find(([, below]) => below >= count * share)?.[0] ?? 0) * 1_000
  return { p50: boundOf(0.5), mean: ((after.sum - before.sum) / Math.max(1, count)) * 1_000, most: boundOf(1) }
}

/** The histogram that the instances keep of it, added up. */
async function propagationOf(instances: readonly Instance[]) {
  const name = 'portcullis_revocation_propagation_seconds'
  const texts = await Promise.all(instances.map(async (instance) => (await instance.operator('/metrics')).body))
  const sums = { sum: 0, count: 0 }
  const buckets = new Map<number, number>()
  for (const text of texts) {
    sums.sum += Number(new RegExp(`^${name}_sum (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
    sums.count += Number(new RegExp(`^${name}_count (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
    for (const [, bound = '', count] of text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\d+)$`, 'gm'))) {
      const at = Number(bound.replace('+Inf', 'Infinity'))
      buckets.set(at, (buckets.get(at) ?? 0) + Number(count))
    }
  }
  return { ...sums, buckets: [...buckets].sort(([a], [b]) => a - b) }
}

/** Calls of one application, evenly to all instances. */
async function callsOf(cluster: Cluster, rest: Load, seconds: number): Promise<number> {
  const [first] = cluster.instances
  if (first === undefined) return 0
  const application = await newApplication(first, await newTenant(first))
  const tokens = await Promise.all(cluster.instances.map(({ port }) => newToken(port, application)))
  const targets = cluster.instances.map(({ name, port }) => ({ via: name, port }))
  let answered = 0
  const load = await loadWhile(cluster, async () => {
    const traffic = startTraffic({
      targets,
      perSecond: callRate.perSecond,
      next: (turn) => tokens[turn % tokens.length],
    })
    await wait(seconds * 1_000)
    await traffic.stop()
    answered = traffic.exchanges.filter(({ status }) => status === 200).length
    if (answered < traffic.exchanges.length * leastAnswered)
      throw new Error(`too many calls were refused, the run is void: ${statuses(traffic.exchanges)}`)
  })
  const beside = load.commands.evalsha - rest.commands.evalsha
  return (beside / (answered / seconds)) * 1_000
}

async function connectionsOf({ postgres, redis }: Cluster): Promise<NonNullable<Figures['connections']>> {
  const [row] = await postgres.admin(
    "select count(*) as count from pg_stat_activity where application_name = 'portcullis'",
  )
  const clients = await redis.command('info', 'clients')
  const memory = await redis.command('info', 'memory')
  const numberAfter = (text: string, name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(text)?.[1] ?? 0)
  return {
    postgres: Number(row?.['count'] ?? 0),
    redis: numberAfter(clients, 'connected_clients'),
    redisBytes: numberAfter(memory, 'mem_clients_normal'),
  }
}
