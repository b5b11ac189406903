// The loads of the overload benchmark, one after the other against one server, and what became of each.

import type { Document } from 'yaml'
import { run } from '../load.js'
import { type Figures, figuresOf } from '../paced/figures.js'
import { proxyRequest } from '../requests.js'
import { bestInTurn } from './best.js'
import { type CrowdLoad, type CrowdResult, runCrowd } from './crowd.js'
import { type UrgentFigures, watchHealth, watchUrgent } from './urgent.js'

export interface Target {
  port: number
  operatorPort: number
  host: string
  credential: { clientId: string; clientSecret: string }
  /** With which the bench route may be called. */
  token: string
  /** Of the server so far. */
  cpuSeconds(): number
}

/** Of one load; latencies are those of answers with 200 to requests that were due after its first second. */
export interface OverloadRow extends Figures {
  name: string
  perSecond: number
  /** Answers with 200 in a second. */
  goodput: number
  /** What this kind of client got at best, in a second: measured right before the load and right after it. */
  best: number
  /** The goodput, of that. */
  ofBest: number
  /** Answers with 200 in a second of the processor: what is left of the goodput where the machine does other things too. */
  perCpuSecond: number
  /** By status, whenever they were due. */
  refused: Record<number, number>
  unsent: number
  lost: number
  /** The longest of the first second. */
  firstMs: number
  /** When the last request that got 503 was due, seconds from the begin; 0: none did. */
  lastRefusedAt: number
  /** The longest that the operator listener took to say that the process lives. */
  healthMs: number
  /** Of requests that are sent beside the load, one by one. */
  urgent: UrgentFigures
  generatorBusy: number
  /** Of each second, by when a request was due: how many were let in, and how long they took, milliseconds. */
  bySecond: { admitted: number; p50: number; p99: number }[]
}

export interface OverloadFigures {
  /** Calls in a second on 64 connections, closed loop; and in a second of the processor. */
  bestOfFew: number
  bestPerCpuSecond: number
  rows: OverloadRow[]
}

type Manners = Pick<CrowdLoad, 'patient' | 'isNewEachTime'>

const rude: Manners = { patient: 0, isNewEachTime: false }
const polite: Manners = { patient: 0.5, isNewEachTime: false }
const fresh: Manners = { patient: 0, isNewEachTime: true }

/** One caller stands for thousands here: what bounds one would refuse before there is an overload. */
export function asForMany(document: Document): void {
  document.setIn(['server', 'limits', 'perCaller'], 1_000_000)
  const bench = document.getIn(['upstreams', 'bench']) as object
  document.setIn(['upstreams', 'bench'], document.createNode({ ...bench, share: '100%' }))
}

type Load = readonly [name: string, times: number, Manners]

/** Requests under way while the best is measured. */
const atOnce = 64

/** Name, how many times the best of its kind, and who calls. One that is called `afterwards` follows at once. */
export const loads: readonly Load[] = [
  ['quiet', 0.25, rude],
  ['busy', 0.75, rude],
  ['three times', 3, rude],
  ['afterwards', 0.5, rude],
  ['three times, half with patience', 3, polite],
  ['afterwards ', 0.5, rude],
  ['three times, new connections', 3, fresh],
  ['afterwards  ', 0.5, rude],
]

export interface OverloadOptions {
  /** Of each load. */
  seconds: number
  /** Of each load: how many clients may call at once. */
  clients: number
  only?: typeof loads
  /** So often, one round after the other. */
  rounds?: number
  /** Something that goes on beside each load; the next one waits for it. */
  beside?: (name: string) => Promise<unknown>
}

/** Measures the best goodput around each load; the loads are parts and multiples of it. */
export async function measureOverload(target: Target, options: OverloadOptions): Promise<OverloadFigures> {
  const { seconds, clients, only = loads, rounds = 1, beside } = options
  const request = proxyRequest(target.host, target.token)
  const closed = { port: target.port, requests: [request], connections: atOnce }
  // The first sign-in page loads what belongs to it, which holds the loop for half a second.
  await watchUrgent(target, 1)
  await run({ ...closed, durationMs: Math.min(4, seconds) * 1000 })
  const cpuBefore = target.cpuSeconds()
  const measured = await run({ ...closed, durationMs: Math.min(6, seconds) * 1000 })
  const bestPerCpuSecond = measured.requests / (target.cpuSeconds() - cpuBefore)
  const { port } = target
  const bestSeconds = Math.min(10, seconds)
  const bestOf = async ({ isNewEachTime }: Manners) => {
    const calls = isNewEachTime
      ? bestOfFresh(port, request, bestSeconds)
      : bestInTurn({ port, request, connections: clients, atOnce, seconds: bestSeconds })
    // What is sent beside each load is sent here too: it takes from both.
    const [best] = await Promise.all([calls, watchUrgent(target, bestSeconds + 1)])
    return best
  }
  const rows: OverloadRow[] = []
  const groups = groupsOf(only)
  for (const group of Array.from({ length: rounds }, () => groups).flat()) {
    const [, , manners] = group[0] as Load
    const before = await bestOf(manners)
    const of: Omit<OverloadRow, 'best' | 'ofBest'>[] = []
    for (const [name, times, manners] of group) {
      const load = { port, requests: [request], perSecond: before * times, seconds, clients, ...manners }
      const [row] = await Promise.all([measureRow(target, name, load), beside?.(name)])
      of.push(row)
    }
    await untilNobodyIsRefused(target)
    const best = (before + (await bestOf(manners))) / 2
    rows.push(...of.map((row) => ({ ...row, best, ofBest: row.goodput / best })))
  }
  return { bestOfFew: measured.requests / measured.seconds, bestPerCpuSecond, rows }
}

/** At most a quarter of a minute. */
async function untilNobodyIsRefused({ operatorPort }: Target): Promise<void> {
  for (let looks = 0; looks < 150; looks++) {
    const text = await (await fetch(`http://127.0.0.1:${operatorPort}/metrics`)).text()
    if (/^portcullis_shedding(\{[^}]*\})? 0$/m.test(text)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Each load with what follows it at once. */
function groupsOf(all: readonly Load[]): Load[][] {
  const groups: Load[][] = []
  for (const load of all) {
    if (load[0].startsWith('afterwards')) groups.at(-1)?.push(load)
    else groups.push([load])
  }
  return groups
}

/** Closed loop: 64 clients, each of which opens the next connection when it has its answer. */
async function bestOfFresh(port: number, request: Buffer, seconds: number): Promise<number> {
  const closing = Buffer.from(request.toString('latin1').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  const load = { port, requests: [closing], connections: atOnce, durationMs: seconds * 1000 }
  const { requests: answered, seconds: took } = await run(load)
  return answered / took
}

async function measureRow(
  target: Target,
  name: string,
  load: CrowdLoad,
): Promise<Omit<OverloadRow, 'best' | 'ofBest'>> {
  const health = watchHealth(target.operatorPort)
  const urgent = watchUrgent(target, load.seconds)
  const before = target.cpuSeconds()
  const result = await runCrowd(load)
  const cpu = target.cpuSeconds() - before
  const goodput = result.ms.filter((_, i) => result.status[i] === 200).length / result.sendingSeconds
  return {
    name,
    perSecond: load.perSecond,
    ...figuresOf(admitted(result, (dueAt) => dueAt >= 1000)),
    goodput,
    perCpuSecond: (goodput * result.sendingSeconds) / cpu,
    refused: refusedOf(result),
    unsent: result.unsent,
    lost: result.lost,
    firstMs: figuresOf(admitted(result, (dueAt) => dueAt < 1000)).longest,
    lastRefusedAt: Math.max(0, ...result.dueAt.filter((_, i) => result.status[i] === 503)) / 1000,
    healthMs: await health.stop(),
    urgent: await urgent,
    generatorBusy: result.generatorBusy,
    bySecond: Array.from({ length: Math.ceil(load.seconds) }, (_, second) => {
      const those = admitted(result, (dueAt) => Math.floor(dueAt / 1000) === second)
      const { p50, p99 } = figuresOf(those)
      return { admitted: those.length, p50, p99 }
    }),
  }
}

function admitted({ status, dueAt, ms }: CrowdResult, isMeant: (dueAt: number) => boolean): number[] {
  return ms.filter((_, i) => status[i] === 200 && isMeant(dueAt[i] as number))
}

function refusedOf({ status }: CrowdResult): Record<number, number> {
  const refused: Record<number, number> = {}
  for (const one of status) if (one !== 200) refused[one] = (refused[one] ?? 0) + 1
  return refused
}
