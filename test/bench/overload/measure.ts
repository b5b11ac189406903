// The loads of the overload benchmark, one after the other against one server, and what became of each.

import type { Document } from 'yaml'
import { run } from '../load.js'
import { type Figures, figuresOf } from '../paced/figures.js'
import { proxyRequest } from '../requests.js'
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
  /** Of what this kind of client got at best. */
  ofBest: number
  /** Answers with 200 in a second of the processor: what is left of the goodput where the machine does other things too. */
  perCpuSecond: number
  /** By status, whenever they were due. */
  refused: Record<number, number>
  unsent: number
  lost: number
  /** The longest of the first second. */
  firstMs: number
  /** When the last refused request was due, seconds from the begin; 0: none was. */
  lastRefusedAt: number
  /** The longest that the operator listener took to say that the process lives. */
  healthMs: number
  /** Of requests that are sent beside the load, one by one. */
  urgent: UrgentFigures
  generatorBusy: number
}

export interface OverloadFigures {
  /** Calls in a second, closed loop: on kept connections, and with one for each request. */
  best: { kept: number; fresh: number }
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

/** Name, how many times the best of its kind, and who calls. */
export const loads: readonly (readonly [name: string, times: number, Manners])[] = [
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
  /** Something that goes on beside each load; the next one waits for it. */
  beside?: (name: string) => Promise<unknown>
}

/** Measures the best goodput first; the loads are parts and multiples of it. */
export async function measureOverload(target: Target, options: OverloadOptions): Promise<OverloadFigures> {
  const { seconds, clients, only = loads, beside } = options
  const requests = [proxyRequest(target.host, target.token)]
  const closed = { port: target.port, requests, connections: 64 }
  // The first sign-in page loads what belongs to it, which holds the loop for half a second.
  await watchUrgent(target, 1)
  await run({ ...closed, durationMs: Math.min(4, seconds) * 1000 })
  const cpuBefore = target.cpuSeconds()
  const measured = await run({ ...closed, durationMs: Math.min(6, seconds) * 1000 })
  const bestPerCpuSecond = measured.requests / (target.cpuSeconds() - cpuBefore)
  const best = { kept: measured.requests / measured.seconds, fresh: Number.NaN }
  if (only.some(([, , { isNewEachTime }]) => isNewEachTime)) best.fresh = await bestOfFresh(target, requests, seconds)
  const rows: OverloadRow[] = []
  for (const [name, times, manners] of only) {
    const most = manners.isNewEachTime ? best.fresh : best.kept
    const load = { port: target.port, requests, perSecond: most * times, seconds, clients, ...manners }
    const [row] = await Promise.all([measureRow(target, { name, most }, load), beside?.(name)])
    rows.push(row)
  }
  return { best, bestPerCpuSecond, rows }
}

/** Closed loop: 64 clients, each of which opens the next connection when it has its answer. */
async function bestOfFresh({ port }: Target, requests: readonly Buffer[], seconds: number): Promise<number> {
  const closing = requests.map((one) =>
    Buffer.from(one.toString('latin1').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')),
  )
  const { requests: answered, seconds: took } = await run({
    port,
    requests: closing,
    connections: 64,
    durationMs: Math.min(4, seconds) * 1000,
  })
  return answered / took
}

async function measureRow(
  target: Target,
  { name, most }: { name: string; most: number },
  load: CrowdLoad,
): Promise<OverloadRow> {
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
    ofBest: goodput / most,
    perCpuSecond: (goodput * result.sendingSeconds) / cpu,
    refused: refusedOf(result),
    unsent: result.unsent,
    lost: result.lost,
    firstMs: figuresOf(admitted(result, (dueAt) => dueAt < 1000)).longest,
    lastRefusedAt: Math.max(0, ...result.dueAt.filter((_, i) => result.status[i] !== 200)) / 1000,
    healthMs: await health.stop(),
    urgent: await urgent,
    generatorBusy: result.generatorBusy,
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
