// What work costs on the machine that real instances share, for the simulation of them: processor time as the system
// counts it, by the number of statements, commands and answers that it was for.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { median } from '../bench/table.js'
import type { Cluster } from '../support/cluster/cluster.js'
import type { PostgresServer } from '../support/databases/postgresql.js'
import type { Machine } from './machine.js'
import type { Link } from './network.js'
import { commands } from './virtual-redis.js'

/** Requests at the instance `at`: a change of which all hear, and the same with a mistake, so that nothing is changed. */
export interface Requests {
  change(at: number): Promise<unknown>
  mistake(at: number): Promise<unknown>
}

/** Milliseconds of a processor. */
interface Spent {
  /** Of the event loops, without the threads beside them: of the instance that is called, and of all others. */
  committer: number
  followers: number
  postgres: number
  redis: number
  /** How many PostgreSQL and Redis had. */
  statements: number
  commands: number
}

/** Each in a statement of its own: a machine that stands still is in one of them. */
const COMMIT_LOOPS = 9
const COMMITS = 10
const PINGS = 100
const PATIENCE_MS = 60_000
/** Within so long after a request all is done that it leads to at once. */
const AFTER_MS = 50

/**
 * What statements, commands and their answers cost: what `count` changes lead to, less what as many mistakes do. With
 * pauses, because work costs more where all slept before. Network and disk are measured apart. `busy`: what share of the
 * processors all of it takes at rest.
 */
export async function measureMachine(
  cluster: Cluster,
  { requests, count, busy }: { requests: Requests; count: number; busy: number },
): Promise<{ machine: Machine; link: Link }> {
  // The first request makes the management API.
  for (const at of cluster.instances.keys()) await requests.change(at)
  const all = cluster.instances.length
  const spent = noWork()
  for (let at = 0; at < count; at += 1) {
    const instance = cluster.instances[at % all]
    if (instance === undefined) throw new Error('there is no instance to measure')
    const { pid } = instance
    add(spent, await workOf(cluster, pid, () => requests.change(at)), 1)
    await wait(Math.random() * 500)
    add(spent, await workOf(cluster, pid, () => requests.mistake(at)), -1)
    await wait(Math.random() * 500)
  }
  const commandMs = spent.redis / spent.commands
  // Who commits has a publication and its own entry of the stream beside the statements, nearly all of which are its own.
  const answerMs = spent.committer / (spent.statements + 2 * count)
  const roundTripMs = Math.max(0, (await pingMs(cluster.redis.port)) - commandMs)
  const costs = {
    answerMs,
    statementMs: spent.postgres / spent.statements,
    commandMs,
    commitMs: await commitMsOf(cluster.postgres),
  }
  for (const [name, ms] of Object.entries(costs))
    if (!(ms > 0 && ms < Number.POSITIVE_INFINITY)) throw new Error(`${name} would be ${ms}, the run is void`)
  // An entry that costs no more than an answer is measured as less.
  const entryMs = all === 1 ? 0 : Math.max(0, spent.followers / count / (all - 1) - answerMs)
  return {
    link: { roundTripMs, jitterMs: roundTripMs / 5, lostPerMille: 0 },
    machine: { processors: availableParallelism(), busy, entryMs, ...costs },
  }
}

/** What share of the processors of this machine is busy while `work` runs. */
export async function busyWhile(work: () => Promise<unknown>): Promise<number> {
  const before = processorTicks()
  await work()
  const after = processorTicks()
  return (after.busy - before.busy) / (after.all - before.all)
}

function noWork(): Spent {
  return { committer: 0, followers: 0, postgres: 0, redis: 0, statements: 0, commands: 0 }
}

function add(sum: Spent, more: Spent, sign: 1 | -1): void {
  for (const name of Object.keys(sum) as (keyof Spent)[]) sum[name] += sign * more[name]
}

/** What a request leads to, in all processes. */
async function workOf(cluster: Cluster, called: number, request: () => Promise<unknown>): Promise<Spent> {
  const counted = await countsOf(cluster)
  const before = processesOf(cluster)
  await request()
  await wait(AFTER_MS)
  const after = processesOf(cluster)
  const { statements, commands } = await countsOf(cluster)
  return {
    committer: between(before.instances, after.instances, (pid) => pid === called),
    followers: between(before.instances, after.instances, (pid) => pid !== called),
    postgres: between(before.postgres, after.postgres),
    redis: between(before.redis, after.redis),
    statements: statements - counted.statements,
    commands: commands - counted.commands,
  }
}

type Processes = ReadonlyMap<number, number>

/** Milliseconds of a processor that the main thread of each had. */
function processesOf({ instances, postgres, redis }: Cluster): Record<'instances' | 'postgres' | 'redis', Processes> {
  const timesOf = (pids: number[]) => new Map(pids.map((pid) => [pid, mainThreadMs(pid)]))
  return {
    instances: timesOf(instances.map(({ pid }) => pid)),
    postgres: timesOf(postgres.pids()),
    redis: timesOf([redis.pid]),
  }
}

/** Of those that were there all the time. */
function between(before: Processes, after: Processes, isMeant = (_: number) => true): number {
  let sum = 0
  for (const [pid, ms] of after) if (isMeant(pid)) sum += ms - (before.get(pid) ?? ms)
  return sum
}

/** How many the servers have had, those of this measurement left out. */
async function countsOf({ postgres, redis }: Cluster): Promise<{ statements: number; commands: number }> {
  const own = "query not like '%pg\\_stat%' and query not like '%set_config%'"
  const [row] = await postgres.admin(`select sum(calls) as calls from pg_stat_statements where ${own}`)
  const text = await redis.command('info', 'commandstats')
  const counted = commands.map((command) => Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1] ?? 0))
  return { statements: Number(row?.['calls'] ?? 0), commands: counted.reduce((sum, each) => sum + each, 0) }
}

/** Until a small write is on the disk, by the median of loops of some one after the other. */
async function commitMsOf({ admin }: PostgresServer): Promise<number> {
  await admin('create table commits (number integer)')
  const loop = `for number in 1..${COMMITS} loop insert into commits values (number); commit; end loop`
  const took: number[] = []
  for (let i = 0; i < COMMIT_LOOPS; i += 1) {
    const began = performance.now()
    await admin(`do $$ begin ${loop}; end $$`)
    took.push((performance.now() - began) / COMMITS)
  }
  await admin('drop table commits')
  return median(took)
}

/**
 * From sending a word to a server that sleeps until its answer wakes who sleeps here, without the work of who is here:
 * by the median of some, with pauses, because both sleep between the changes that are measured.
 */
async function pingMs(port: number): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const deadline = { signal: AbortSignal.timeout(PATIENCE_MS) }
  await once(socket, 'connect', deadline)
  const waits: number[] = []
  for (let i = 0; i < PINGS; i += 1) {
    const [began, before] = [performance.now(), process.cpuUsage()]
    socket.write('PING\r\n')
    await once(socket, 'data', deadline)
    const { user, system } = process.cpuUsage(before)
    waits.push(performance.now() - began - (user + system) / 1_000)
    await wait(20)
  }
  socket.destroy()
  return median(waits)
}

/** proc(5), /proc/stat: user, nice, system, idle, iowait … in the first line. */
function processorTicks(): { busy: number; all: number } {
  const each = (readNow('/proc/stat').split('\n')[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number)
  const all = each.reduce((sum, ticks) => sum + ticks, 0)
  return { busy: all - (each[3] ?? 0) - (each[4] ?? 0), all }
}

/** In nanoseconds there. */
function mainThreadMs(pid: number): number {
  return Number(readNow(`/proc/${pid}/schedstat`).split(' ')[0]) / 1_000_000
}

/** Empty when the process has ended. */
function readNow(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
