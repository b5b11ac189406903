// What is done by the clock and not by request. Every instance writes its own last-used times, counts and failed
// attempts; the rest is the leader's: keys move through their states, checkpoints of the ledger are written, its
// beginning is archived, events are delivered, administrators hear of new redirect origins, and what is dead leaves, in
// bounded batches. A failure is reported and tried again next time; nothing waits for it.

import { writesAs } from '../directory/actor.js'
import { reportEndingSecrets } from '../directory/credentials/ending-secrets.js'
import { purgeOverdue } from '../directory/deleted/keep-deleted.js'
import { deleteUnusedDocuments } from '../directory/documents/unused-documents.js'
import type { DeliveryWorker } from '../events/delivery-worker.js'
import { createUsageDays, measureUsageDays } from '../events/usage-days.js'
import { LedgerShortened } from '../ledger/checkpoints.js'
import { type RetentionSettings, retainLedger } from '../ledger/retention.js'
import { namedWhile } from '../observability/named-work.js'
import { pruneRevocations } from '../revocation/revoke.js'
import { pruneInstances } from '../storage/sql/cluster/instances.js'
import { advanceKeys } from '../tokens/keys/key-lifecycle.js'
import { notifyOfNewOrigins } from '../users/memberships/new-origin-notice.js'
import { mailNotices } from '../users/notices/notices.js'
import type { Collaborators } from './collaborators.js'
import { createNameKeeper, sweepDead } from './sweep.js'

const keysEveryMs = 60_000
const flushEveryMs = 15_000
const secretsEveryMs = 60_000
const eventsEveryMs = 1_000
const newsEveryMs = 60_000
const noticesEveryMs = 15_000
const headEveryMs = 1_000
const sweepEveryMs = 10 * 60_000
/** Longer than one of them takes. */
const apartMs = 97

/** An instance that has said nothing for so long is not coming back under its id. */
const deadAfterMs = 3_600_000
const pruneBatch = 500
/** How long ago a living instance may have been seen last. */
const clockMarginMs = 60_000

/** What is worked on, and with. */
export interface PeriodicWork {
  directory: Pick<Collaborators['directory'], 'flush'>
  keyLifecycle: Collaborators['keyLifecycle']
  store: Collaborators['store']
  view: Collaborators['view']
  now: () => number
  leader: { isLeader(): boolean }
  membership: Pick<Collaborators['membership'], 'members' | 'instanceId'>
  activity: Pick<Collaborators['activity'], 'flush' | 'trim'>
  decisions: Pick<Collaborators['decisions'], 'flush' | 'trim'>
  checkpoints: Pick<Collaborators['checkpoints'], 'write'>
  headWatch: Collaborators['headWatch']
  usage: Pick<Collaborators['usage'], 'flush'>
  history: Pick<Collaborators['history'], 'flush'>
  ledger: Collaborators['ledger']
  ledgerKeys: Collaborators['ledgerKeys']
  metrics: Pick<Collaborators['metrics'], 'secretsExpiring' | 'ledgerBreaks' | 'usageDayWait'>
  users: Collaborators['users']
  writes: Collaborators['writes']
}

/** How often, and how long what is dead is kept. */
export interface PeriodicSettings {
  ledger: RetentionSettings & { checkpointEveryMs: number }
  usage: { flushEveryMs: number; keepMs: number }
  /** How long after the one before each begins; for tests. */
  apartMs?: number
  /** How long a session lives without use, and the providers that there are. */
  signIn: { sessionIdleMs: number; providers: ReadonlyMap<string, unknown> }
}

/** Starts the work; the answer stops it after a last write of what was gathered. */
export function startPeriodicWork(
  deps: PeriodicWork,
  deliveryWorker: DeliveryWorker,
  settings: PeriodicSettings,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const asLeader = (work: () => Promise<unknown>) => async () => (deps.leader.isLeader() ? work() : undefined)
  const { instanceId } = deps.membership
  const { store, ledger, leader, now } = deps
  const usageDays = createUsageDays({ store, ledger, leader, now, instanceId, onError })
  const nameKeeper = createNameKeeper(store)
  const works: [number, string, () => Promise<unknown>][] = [
    [keysEveryMs, 'keys', asLeader(() => advanceKeys(deps.keyLifecycle))],
    [flushEveryMs, 'last uses', () => deps.directory.flush()],
    [flushEveryMs, 'activity', () => deps.activity.flush()],
    [flushEveryMs, 'activity, trimming', asLeader(() => deps.activity.trim())],
    [flushEveryMs, 'decisions', () => deps.decisions.flush()],
    [flushEveryMs, 'decisions, trimming', asLeader(() => deps.decisions.trim())],
    [settings.usage.flushEveryMs, 'usage', () => deps.usage.flush()],
    [flushEveryMs, 'days of usage', asLeader(() => usageDays.turn())],
    [flushEveryMs, 'days of usage, measuring', () => measureUsageDays(deps)],
    [flushEveryMs, 'history', () => deps.history.flush()],
    [secretsEveryMs, 'ending secrets', () => reportSecrets(deps)],
    [eventsEveryMs, 'deliveries', asLeader(() => deliveryWorker.turn())],
    [flushEveryMs, 'deliveries, measuring', () => deliveryWorker.measure()],
    [flushEveryMs, 'names', asLeader(nameKeeper)],
    [newsEveryMs, 'new origins', asLeader(() => notifyOfNewOrigins(deps.users))],
    [noticesEveryMs, 'notices', asLeader(() => mailNotices(deps.users))],
    [headEveryMs, 'head of the ledger', () => watchHead(deps)],
    [settings.ledger.checkpointEveryMs, 'checkpoints', asLeader(() => deps.checkpoints.write())],
    [sweepEveryMs, 'revocations, pruning', asLeader(() => pruneRevocations(deps))],
    [sweepEveryMs, 'ledger, retention', asLeader(() => retainRows(deps, settings.ledger))],
    [sweepEveryMs, 'dead instances', asLeader(() => forgetDeadInstances(deps))],
    [sweepEveryMs, 'sweep', asLeader(() => sweepRows(deps, settings))],
    [sweepEveryMs, 'deleted applications', asLeader(() => purgeDeletedApplications(deps))],
    [sweepEveryMs, 'unused clients', asLeader(async () => void (await deleteUnusedDocuments(deps.writes, deps.store)))],
  ]
  const timers = works.map(([everyMs, name, work], at) =>
    repeat(everyMs, at * (settings.apartMs ?? apartMs), () => namedWhile(name, work), onError),
  )
  return async () => {
    for (const timer of timers) timer.stop()
    await deliveryWorker.end()
    await deps.directory.flush().catch(onError)
    await deps.activity.flush({ last: true }).catch(onError)
    await deps.decisions.flush().catch(onError)
    await deps.usage.flush().catch(onError)
    await deps.history.flush().catch(onError)
    await watchHead(deps).catch(onError)
    // A clean end leaves nothing behind that could be cut off unnoticed.
    await asLeader(() => deps.checkpoints.write())().catch(onError)
  }
}

function retainRows({ store, ledger, ledgerKeys, now }: PeriodicWork, retention: RetentionSettings): Promise<void> {
  return retainLedger({ store, ledger, keys: ledgerKeys, now }, retention)
}

function purgeDeletedApplications({ store, writes }: PeriodicWork): Promise<void> {
  return purgeOverdue(writesAs(writes, { actor: { kind: 'system' } }), store)
}

function sweepRows(deps: PeriodicWork, { signIn, usage }: PeriodicSettings): Promise<void> {
  return sweepDead({
    store: deps.store,
    now: () => slowestClock(deps),
    sessionIdleMs: signIn.sessionIdleMs,
    providers: signIn.providers,
    usageKeepMs: usage.keepMs,
  })
}

/** Every instance, each with a file of its own: the more there are, the less can be cut off unseen. */
async function watchHead({ headWatch, metrics }: PeriodicWork): Promise<void> {
  try {
    await headWatch.look()
  } catch (error) {
    if (error instanceof LedgerShortened) metrics.ledgerBreaks.inc()
    throw error
  }
}

/** An instance that no longer leads says nothing, instead of what it knew when it did. */
async function reportSecrets({ store, ledger, leader, metrics, now }: PeriodicWork): Promise<void> {
  const gauge = metrics.secretsExpiring
  if (!leader.isLeader()) return gauge.reset()
  const ending = await reportEndingSecrets({ store, ledger, actor: { kind: 'system' }, nowMs: now() })
  for (const [days, secrets] of ending) gauge.set({ window: `${days}d` }, secrets)
}

/**
 * Never the row of one that lives, however wrong this wall clock is: whom a commit must wait for is read from those
 * rows.
 */
async function forgetDeadInstances({ store, now, membership }: PeriodicWork): Promise<void> {
  const before = Math.min(now() - deadAfterMs, ...membership.members().map(({ seenAt }) => seenAt))
  await store.transaction((tx) => pruneInstances(tx, before, pruneBatch))
}

/** Epoch milliseconds by the slowest clock among the instances, so that one that is ahead ends nobody's session. */
function slowestClock({ now, membership }: PeriodicWork): number {
  return Math.min(now(), ...membership.members().map(({ seenAt }) => seenAt + clockMarginMs))
}

/**
 * One at a time: a slow round is not overtaken by the next. `laterMs`: those of one period do not all come in the same
 * turn of the event loop.
 */
function repeat(
  everyMs: number,
  laterMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): { stop(): void } {
  let running = false
  const turn = () => {
    if (running) return
    running = true
    work()
      .catch(onError)
      .finally(() => {
        running = false
      })
  }
  let timer: NodeJS.Timeout
  const begin = () => {
    timer = setInterval(turn, everyMs).unref()
  }
  if (laterMs % everyMs === 0) begin()
  else timer = setTimeout(begin, laterMs % everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
