// What a story works with: a cluster, applications and tokens in it, clients that check every answer, and in the end
// the judgement of what was written down meanwhile.

import { readFileSync } from 'node:fs'
import type { Agent } from 'node:http'
import {
  exchange,
  keptAlive,
  startTraffic,
  type Target,
  type Traffic,
  type TrafficOptions,
} from '../../support/cluster/checking-client.js'
import type { Cluster } from '../../support/cluster/cluster.js'
import type { Instance } from '../../support/cluster/cluster-instance.js'
import {
  type AcknowledgedWrite,
  type Allowance,
  type Judgement,
  judge,
  type Spend,
  type Usage,
} from '../../support/cluster/invariants.js'
import type { Exchange, LedgerToken } from '../../support/cluster/token-ledger.js'
import { watchStalls } from '../../support/traffic/stalls.js'
import { until } from '../../support/traffic/until.js'

export interface Scene {
  readonly cluster: Cluster
  /** The whole length, or the short form that runs with the tests. */
  readonly full: boolean
  readonly balancer: Target
  /** Every instance, past the balancer. */
  readonly direct: readonly Target[]
  /** Sends in the background and is judged. */
  traffic(options: TrafficOptions): Traffic
  /** One request, judged; on one kept-alive connection for each target. */
  probe(target: Target, token: LedgerToken, path?: string): Promise<Exchange>
  /** Judges what was sent by other means. */
  note(exchanges: readonly Exchange[]): void
  /** Failures that are expected from now on; end it by setting `toMs`. */
  allow(allowance: Omit<Allowance, 'fromMs'>): Allowance
  /** A revocation may take this long to be heard of there. */
  mayHearLate(target: Target, boundMs: number): void
  /** To be looked up in the end. */
  acknowledged(write: AcknowledgedWrite): void
  /** To be found in the ledger in the end, once (I8). */
  audited(line: AcknowledgedWrite): void
  /** What came of something that may be spent once (I3). */
  spent(spend: Spend): void
  /** This instance is ended or started by the story, so it is not compared with itself. */
  mayEnd(instance: Instance): void
  /** Resolves with the milliseconds until this token works at every target again. */
  untilServed(token: LedgerToken, targets?: readonly Target[], patienceMs?: number): Promise<number>
  /** Ends all traffic and judges. */
  finish(): Promise<Judgement[]>
}

/** A standstill is nothing that the promise of a second is about; what is shorter is a busy machine. */
const shortestStallMs = 500

/** What counts as a standstill of this many milliseconds. */
export function standstillMs(measuredMs: number): number {
  return measuredMs < shortestStallMs ? 0 : measuredMs
}

/** Memory is measured once everything that a story allocates only once is there. */
const settleMs = 60_000

/** A scene on a running cluster. */
export function openScene(cluster: Cluster, full: boolean): Scene {
  const stalledMs = watchStalls()
  const firstHit = cluster.recorder.hits.length
  const before = usageOf(cluster.instances)
  const traffics: Traffic[] = []
  const probes: Exchange[] = []
  const waits: Exchange[] = []
  const allowances: Allowance[] = []
  const writes: AcknowledgedWrite[] = []
  const audits: AcknowledgedWrite[] = []
  const spends: Spend[] = []
  const ended = new Set<string>()
  const bounds = new Map<string, number>()
  const agents = new Map<number, Agent>()
  const direct = cluster.instances.map(({ name, port }) => ({ via: name, port }))
  const agentFor = (port: number): Agent => {
    const agent = agents.get(port) ?? keptAlive(8)
    agents.set(port, agent)
    return agent
  }
  const scene: Scene = {
    cluster,
    full,
    balancer: { via: 'balancer', port: cluster.balancer.port },
    direct,
    traffic(options) {
      const traffic = startTraffic(options)
      traffics.push(traffic)
      return traffic
    },
    async probe(target, token, path) {
      const done = await exchange({
        target,
        token,
        agent: agentFor(target.port),
        ...(path === undefined ? {} : { path }),
      })
      probes.push(done)
      return done
    },
    note: (exchanges) => void probes.push(...exchanges),
    allow(allowance) {
      const started = { ...allowance, fromMs: performance.now() }
      allowances.push(started)
      return started
    },
    mayHearLate: ({ via }, boundMs) => void bounds.set(via, boundMs),
    acknowledged: (write) => void writes.push(write),
    audited: (line) => void audits.push(line),
    spent: (spend) => void spends.push(spend),
    mayEnd: (instance) => void ended.add(instance.name),
    async untilServed(token, targets = direct, patienceMs = 30_000) {
      const served = async (target: Target) => {
        const agent = agentFor(target.port)
        // Not judged: that it fails for a while is what is being waited for.
        const sent = await exchange({ target, token, agent, timeoutMs: 2_000 })
        waits.push(sent)
        return sent.status === 200
      }
      return until(
        'every target serves',
        async () => (await Promise.all(targets.map(served))).every(Boolean),
        patienceMs,
      )
    },
    async finish() {
      await Promise.all(traffics.map((traffic) => traffic.stop()))
      for (const agent of agents.values()) agent.destroy()
      const exchanges = [...traffics.flatMap((traffic) => traffic.exchanges), ...probes]
      const lost = cluster.instances
        .filter(({ name, running }) => before.has(name) && !running && !ended.has(name))
        .map(lastWords)
      const stayed = cluster.instances.filter(({ name, running }) => running && !ended.has(name))
      const evidence = {
        stalledMs: standstillMs(stalledMs()),
        exchanges,
        waits,
        allowances: [...allowances, ...cluster.instances.flatMap(refusalsAfterStandstills)],
        writes,
        audits,
        spends,
        bounds,
        lost,
        hits: cluster.recorder.hits.slice(firstHit),
      }
      return settled(evidence, stayed, before)
    },
  }
  return scene
}

/** Judges; what has grown gets a minute to come back. */
async function settled(
  evidence: Omit<Parameters<typeof judge>[0], 'usage'>,
  stayed: readonly Instance[],
  before: ReadonlyMap<string, Usage>,
): Promise<Judgement[]> {
  const until = performance.now() + settleMs
  for (;;) {
    const usage = stayed.flatMap((instance) => {
      const was = before.get(instance.name)
      return was === undefined ? [] : [{ name: instance.name, before: was, after: instance.usage() }]
    })
    const judgements = await judge({ ...evidence, usage })
    const grown = judgements.some(({ invariant, violations }) => invariant === 'I6' && violations.length > 0)
    if (!grown || performance.now() > until) return judgements
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

/** Until an instance that stood still has heard again what it may have missed. */
const catchUpMs = 10_000

/** What stood still for a second refuses to decide until it knows the newest revocations (decision 47). */
function refusalsAfterStandstills({ name, standstills }: Instance): Allowance[] {
  const refusal = { statuses: [503], saying: 'This instance cannot decide on tokens at the moment.' }
  return standstills().flatMap(({ fromMs, toMs }) =>
    [name, 'balancer'].map((via) => ({ ...refusal, via, fromMs, toMs: toMs + catchUpMs })),
  )
}

/** An instance that ended, with the last line that it logged. */
function lastWords({ name, logFile }: Instance): string {
  return `${name} (${readFileSync(logFile, 'utf8').trimEnd().split('\n').at(-1)?.slice(0, 2_000)})`
}

function usageOf(instances: readonly Instance[]): Map<string, Usage> {
  return new Map(instances.filter(({ running }) => running).map((instance) => [instance.name, instance.usage()]))
}
