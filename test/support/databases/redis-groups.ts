// Several Redis servers that belong together: a primary with a replica under a Sentinel, and a Cluster of three.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../programs/program.js'
import { startRedis, type Teardown, type TestRedis } from './redis.js'

export interface SentinelGroup {
  /** `redis+sentinel://127.0.0.1:<port>/gate` */
  url: string
  /** The primary at the start, and its replica. */
  primary: TestRedis
  replica: TestRedis
  sentinel: TestRedis
  /** The port that the Sentinel names as the primary's now. */
  primaryPort(): Promise<number>
}

const waitMs = 60_000
const groupName = 'gate'

/**
 * One primary, one replica, one Sentinel that sees a dead primary after two seconds: after a pause that is longer it
 * decides nothing for another two, so it takes no pause for a death. Half a minute, as it does by itself, and the
 * replica would be too old to follow.
 */
export async function startSentinelGroup(t: Teardown): Promise<SentinelGroup> {
  const timing = ['--repl-ping-replica-period', '1', '--repl-diskless-sync-delay', '0']
  const primary = await startRedis(t, { options: timing })
  const replica = await startRedis(t, { options: [...timing, '--replicaof', '127.0.0.1', String(primary.port)] })
  await waitFor('the replica', async () => /master_link_status:up/.test(await replica.command('info', 'replication')))
  const sentinel = await startSentinel(t, primary.port)
  await waitFor('the Sentinel to know the replica', async () =>
    /slaves=1/.test(await sentinel.command('info', 'sentinel')),
  )
  const primaryPort = async (): Promise<number> =>
    Number((await sentinel.command('sentinel', 'get-master-addr-by-name', groupName)).split('\n')[1])
  return { url: `redis+sentinel://127.0.0.1:${sentinel.port}/${groupName}`, primary, replica, sentinel, primaryPort }
}

async function startSentinel(t: Teardown, primaryPort: number): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-sentinel-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'sentinel.conf')
  const port = await freePort()
  // A Sentinel writes what it learns into its file, so the file must be there and be its own.
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${groupName} 127.0.0.1 ${primaryPort} 1`,
    `sentinel down-after-milliseconds ${groupName} 2000`,
    `sentinel failover-timeout ${groupName} 3000`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const sentinel = await startRedis(t, { port, words: [file, '--sentinel'] })
  await sentinel.command('sentinel', 'debug', 'tilt-period', '2000')
  return sentinel
}

export interface RedisCluster {
  /** `redis+cluster://` with all nodes. */
  url: string
  /** The masters, in the order of their slots. */
  nodes: readonly TestRedis[]
  /** Of each of them, where there are any. */
  replicas: readonly TestRedis[]
}

/**
 * Three masters, a third of the slots each; a replica for each where that is wanted, which takes over after two
 * seconds. `program` is another server than redis-server.
 */
export async function startRedisCluster(
  t: Teardown,
  { withReplicas = false, program }: { withReplicas?: boolean; program?: string } = {},
): Promise<RedisCluster> {
  const start = () => startNode(t, { program, nodeMs: withReplicas ? 2_000 : 5_000 })
  const nodes = await Promise.all([start(), start(), start()])
  const first = nodes[0].node
  const ranges = [
    [0, 5460],
    [5461, 10922],
    [10923, 16383],
  ] as const
  for (const [index, { node }] of nodes.entries()) {
    const [from, to] = ranges[index] ?? ranges[0]
    await node.command('cluster', 'addslotsrange', String(from), String(to))
    await node.command('cluster', 'set-config-epoch', String(index + 1))
  }
  for (const { node, busPort } of nodes.slice(1))
    await first.command('cluster', 'meet', '127.0.0.1', String(node.port), String(busPort))
  for (const { node } of nodes) {
    await waitFor('the Cluster', async () => {
      const info = await node.command('cluster', 'info')
      return /cluster_state:ok/.test(info) && /cluster_known_nodes:3/.test(info)
    })
  }
  const replicas = withReplicas ? await Promise.all(nodes.map(({ node }) => startReplica(start, first, node))) : []
  const hosts = nodes.map(({ node }) => `127.0.0.1:${node.port}`).join(',')
  return { url: `redis+cluster://${hosts}`, nodes: nodes.map(({ node }) => node), replicas }
}

interface StartedNode {
  node: TestRedis
  busPort: number
}

async function startReplica(start: () => Promise<StartedNode>, known: TestRedis, of: TestRedis): Promise<TestRedis> {
  const { node, busPort } = await start()
  await known.command('cluster', 'meet', '127.0.0.1', String(node.port), String(busPort))
  const master = await of.command('cluster', 'myid')
  await waitFor('the replica to know its master', async () => (await node.command('cluster', 'nodes')).includes(master))
  await node.command('cluster', 'replicate', master)
  await waitFor('the replica to follow', async () =>
    /master_link_status:up/.test(await node.command('info', 'replication')),
  )
  return node
}

async function startNode(
  t: Teardown,
  { program, nodeMs }: { program: string | undefined; nodeMs: number },
): Promise<StartedNode> {
  const busPort = await freePort()
  const coverage = ['--cluster-require-full-coverage', 'no', '--cluster-replica-validity-factor', '0']
  const timing = ['--cluster-node-timeout', String(nodeMs), ...coverage, '--repl-ping-replica-period', '1']
  const options = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), ...timing]
  return { node: await startRedis(t, { options, ...(program === undefined ? {} : { program }) }), busPort }
}

async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const until = performance.now() + waitMs; performance.now() < until; ) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`waited in vain for ${what}`)
}
