// Five hundred requests a second of every kind while something is failed over: calls with good, forged and revoked
// tokens, calls against a strict limit, new tokens, writes and revocations; and what became of each kind.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { exchange, keptAlive, type Target } from '../../support/cluster/checking-client.js'
import { checkedQuota } from '../../support/cluster/cluster-configuration.js'
import type { Instance } from '../../support/cluster/cluster-instance.js'
import { type LedgerToken, ledgerToken, whileRevoking } from '../../support/cluster/token-ledger.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import {
  askToken,
  managed,
  newApplication,
  newCast,
  newToken,
  type TestApplication,
  verifyLedger,
} from '../scene/provision.js'
import type { Scene } from '../scene/scene.js'
import { type Query, type WriteContext, type WriteKind, writeKinds } from '../scene/writes-of-every-kind.js'
import { mostWaitingSeconds, oneAfterTheOther, paced } from './pacing.js'

export interface Failover {
  /** Provokes it, and resolves when the other one has taken over. */
  provoke: () => Promise<void>
  /** What comes back when all is well again: the former one. */
  comeBack?: () => Promise<void>
  /** Rows of the database that is the primary then. */
  query: Query
  /** What may be answered meanwhile to a call with a good token. */
  mayFail: readonly number[]
}

export interface Survived {
  /** By kind. */
  text: string
  recoveryMs: number
}

/** Together five hundred, with what is written. */
const perSecond = { calls: 440, limited: 30, tokens: 20 }

// "None was lost" of so many: before the fault, and in the end.
const acknowledged = { before: 40, all: 250 }

// The ledger names the first twenty revocations of one; 29, so that those among the kinds of writes fall on all.
const writingApplications = 29

/** Until the last of them has settled again. */
const afterMs = 3_000

/** Runs the load before, during and after, and judges what the scene does not: limits, numbers, revoked tokens. */
export async function underLoad(scene: Scene, failover: Failover): Promise<Survived> {
  const { instances } = scene.cluster
  const first = instances[0] as Instance
  const { application, tenantId, next } = await newCast(instances)
  const writers: TestApplication[] = []
  for (let at = 0; at < writingApplications; at += 1) {
    const writer = await newApplication(first, tenantId, { name: `Writer ${at}` })
    await allowWrites(first, writer)
    writers.push(writer)
  }
  const revoked: LedgerToken[] = []
  const traffic = scene.traffic({
    targets: scene.direct,
    perSecond: perSecond.calls,
    mostWaiting: perSecond.calls * mostWaitingSeconds,
    next: (turn) => (turn % 10 === 9 ? (revoked.at(-1 - (turn % 7)) ?? next(turn)) : next(turn)),
  })
  const limit = await startLimited(scene, first, tenantId)
  const tokens = startTokens(instances, application)
  const writes = startWrites(scene, { query: failover.query, tenantId, writers, revoked })
  await enough(writes, acknowledged.before, 20_000)
  const allowance = scene.allow({ statuses: failover.mayFail })
  const fromMs = performance.now()
  await failover.provoke()
  const recoveryMs = await recovered(instances, fromMs)
  await until('a new token', async () => (await askToken(first.port, application)).status === 200, 60_000)
  await scene.untilServed(await newToken(first.port, application))
  await failover.comeBack?.()
  allowance.toMs = performance.now() + 1_000
  await wait(afterMs)
  await enough(writes, acknowledged.all, 60_000)
  await Promise.all([limit.stop(), tokens.stop(), writes.stop()])
  await traffic.stop()
  tokens.neverBack()
  for (const token of revoked)
    for (const target of scene.direct) equal((await scene.probe(target, token)).status, 401, 'stays refused')
  await verifyLedger(first)
  const rows = [
    rowOf('calls', traffic.exchanges),
    rowOf(`limited (strict quota of ${checkedQuota})`, limit.seen),
    rowOf('tokens', tokens.seen),
    rowOf('writes', writes.seen),
  ]
  return {
    text: `recovered in ${seconds(recoveryMs)} s, ${writes.acknowledged()} writes acknowledged, lost: none, or I2 and I8 name them; ${revoked.length} revoked tokens stay refused\n${table(rows)}`,
    recoveryMs,
  }
}

/** Until so many were acknowledged; a slow machine does fewer in the time. */
async function enough(writes: { acknowledged(): number }, count: number, longest: number): Promise<void> {
  const endMs = performance.now() + longest
  while (writes.acknowledged() < count && performance.now() < endMs) await wait(100)
}

interface Answered {
  status: number
  sentMs: number
  endedMs: number
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2)

function rowOf(kind: string, seen: readonly Answered[]): string[] {
  const longest = seen.reduce((most, { sentMs, endedMs }) => Math.max(most, endedMs - sentMs), 0)
  const good = seen.filter(({ status }) => status >= 200 && status < 300).length
  const others = statuses(seen.filter(({ status }) => status < 200 || status >= 300))
  return [kind, String(seen.length), String(good), others === '' ? 'none' : others, `${seconds(longest)} s`]
}

function table(rows: readonly string[][]): string {
  const head = ['kind', 'sent', 'done', 'refused', 'longest wait']
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  return [head, ...rows]
    .map((row) => `    ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`)
    .join('\n')
}

/** Until every instance writes, and gives tokens; counted from the moment of the fault. */
async function recovered(instances: readonly Instance[], fromMs: number): Promise<number> {
  const writes = (instance: Instance) =>
    until(
      `${instance.name} writes`,
      async () => (await instance.manage('POST', '/tenants', { name: 'After' })).status === 201,
      60_000,
      50,
    )
  await Promise.all(instances.map(writes))
  return performance.now() - fromMs
}

async function allowWrites(instance: Instance, { applicationId }: TestApplication): Promise<void> {
  const ids = ['Subscription.ReadWrite.All', 'assets_read', 'assets_create']
  await managed(instance, 'PUT', `/applications/${applicationId}/permissions`, {
    permissions: ids.map((id) => ({ kind: 'application', id })),
  })
  await managed(instance, 'POST', `/applications/${applicationId}/consents`, {})
}

interface Background {
  stop(): Promise<void>
  readonly seen: readonly Answered[]
}

/** Calls of one application against a strict quota: what passes all together is bounded (decision 45). */
async function startLimited(scene: Scene, first: Instance, tenantId: string): Promise<Background> {
  const token = await newToken(first.port, await newApplication(first, tenantId, { name: 'Limited' }))
  const agents = new Map(scene.direct.map(({ via }) => [via, keptAlive(4)]))
  const seen: Answered[] = []
  const running = paced(perSecond.limited, async (turn) => {
    const target = scene.direct[turn % scene.direct.length] as Target
    const done = await exchange({ target, token, path: '/api/v2/strict/1', agent: agents.get(target.via) })
    seen.push(done)
    if (done.status !== 429) scene.note([done])
  })
  const passed = () => seen.filter(({ status }) => status === 200).length
  return {
    async stop() {
      await running.stop()
      for (const agent of agents.values()) agent.destroy()
      ok(passed() <= checkedQuota * 1.5, `of a strict quota of ${checkedQuota} ${passed()} passed`)
    },
    seen,
  }
}

/** New tokens: the number that each carries is never below one that was given before it was requested. */
function startTokens(instances: readonly Instance[], application: TestApplication): Background & { neverBack(): void } {
  const seen: { status: number; sentMs: number; endedMs: number; seq: number }[] = []
  const running = paced(perSecond.tokens, async (turn) => {
    const sentMs = performance.now()
    const answer = await askToken((instances[turn % instances.length] as Instance).port, application).catch(() => null)
    const good = answer?.status === 200
    const seq = good ? ledgerToken((JSON.parse(answer.body) as { access_token: string }).access_token).seq : 0
    seen.push({ status: answer?.status ?? 0, sentMs, endedMs: performance.now(), seq })
  })
  return {
    stop: running.stop,
    seen,
    neverBack() {
      const given = seen.filter(({ seq }) => seq > 0).sort((a, b) => a.endedMs - b.endedMs)
      const last = given.at(-1)
      ok(last !== undefined && last.seq >= Math.max(...given.slice(0, 20).map(({ seq }) => seq)), 'numbers grow')
    },
  }
}

interface Writing {
  query: Query
  tenantId: string
  writers: readonly TestApplication[]
  /** Gets the tokens whose revocation was acknowledged. */
  revoked: LedgerToken[]
}

/** Writes of every kind, one after the other, and revocations between them, each by the next instance. */
function startWrites(scene: Scene, context: Writing): Background & { acknowledged(): number } {
  const { instances } = scene.cluster
  const seen: Answered[] = []
  const running = oneAfterTheOther(async (turn) => {
    const instance = instances[turn % instances.length] as Instance
    const application = context.writers[turn % context.writers.length] as TestApplication
    const one = { ...context, application, instance, name: `Write ${turn}` }
    const sentMs = performance.now()
    const status = await (turn % 3 === 0 ? revoke(scene, one) : write(scene, turn, one)).catch(statusOf)
    seen.push({ status, sentMs, endedMs: performance.now() })
  })
  return {
    stop: running.stop,
    seen,
    acknowledged: () => seen.filter(({ status }) => status >= 200 && status < 300).length,
  }
}

/** Of a step before the write that was refused, such as getting the token that is to be revoked. */
function statusOf(error: unknown): number {
  return Number(/: (\d{3})\b/.exec(String(error))?.[1] ?? 0)
}

type OneWrite = Writing & WriteContext

async function write(scene: Scene, turn: number, one: OneWrite): Promise<number> {
  const kinds = Object.values(writeKinds)
  const { answer, write: made, audit } = await (kinds[turn % kinds.length] as WriteKind)(one)
  if (answer.status < 300) scene.acknowledged(made)
  if (answer.status < 300 && audit !== undefined) scene.audited(audit)
  return answer.status
}

async function revoke(scene: Scene, { instance, application, revoked, query }: OneWrite): Promise<number> {
  const token = await newToken(instance.port, application)
  // Used before, so that every instance knows it for good.
  for (const target of scene.direct) await scene.probe(target, token)
  const answer = await whileRevoking([token], async () => {
    const answered = await instance.manage('POST', '/revocations', { what: 'token', token: token.text })
    if (answered.status >= 300) throw new Error(`not revoked: ${answered.status}`)
    return answered
  })
  revoked.push(token)
  scene.acknowledged({
    what: `revocation ${token.jti}`,
    count: async () =>
      Number((await query(`select count(*) as n from revocations where id = '${token.jti}'`))[0]?.['n']),
  })
  return answer.status
}
