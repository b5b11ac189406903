// The state of this instance, for people and for `doctor`. It answers also when the Store does not.

import type { FastifyInstance } from 'fastify'
import { formatProblem } from '../../config/report/problem.js'
import type { RefusedFiles } from '../../config/report/reload-outcome.js'
import { readGonePlans } from '../../directory/plans/gone-plans.js'
import { type Store, StoreUnavailable } from '../../storage/sql/store.js'
import { requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Answer, answers } from '../schemas.js'

/** `GET /status`. */
export function statusRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get(
    '/status',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: answers.status } } },
    async () => statusAnswer(deps),
  )
}

async function statusAnswer(deps: ManagementDependencies): Promise<Answer<'status'>> {
  const { settings, view, writes, store, feed, membership, leader, health } = deps
  const viewAgeMs = feed.ageMs()
  const [available, gonePlans, readiness, leaderId, refused] = await Promise.all([
    isAvailable(store),
    unlessAway(readGonePlans(store.reader, settings)),
    deps.readiness.read(),
    // Not worth failing for: while the Store is away nobody can know.
    leader.holder().catch(() => undefined),
    deps.configuration?.refused().catch(() => undefined),
  ])
  return {
    version: deps.version,
    mode: settings.mode,
    baseUrl: settings.server.baseUrl,
    uptimeSeconds: Math.max(0, Math.round((writes.now() - deps.startedAt) / 1000)),
    seq: view.seq,
    // Infinite before the first load, which JSON cannot say.
    viewAgeMs: Number.isFinite(viewAgeMs) ? Math.round(viewAgeMs) : -1,
    viewStale: view.isStale(),
    ready: readiness.ready,
    reasons: [...readiness.reasons],
    degraded: [...readiness.degraded],
    revocationEntries: view.entries,
    store: { kind: store.kind, available },
    redis: health.redisUp === undefined ? null : { available: health.redisUp },
    instance: membership.instanceId,
    leader: leader.isLeader(),
    clockSkewSeconds: membership.skewMs() / 1000,
    instances: membership.members().map(({ id, name, startedAt, appliedSeq }) => {
      const isThis = id === membership.instanceId
      return {
        id,
        name,
        startedAt: new Date(startedAt).toISOString(),
        seq: isThis ? view.seq : appliedSeq,
        leader: isThis ? leader.isLeader() : id === leaderId,
      }
    }),
    refusedConfiguration: refused === undefined ? null : refusedAnswer(refused),
    routes: settings.routes.length,
    upstreams: [...settings.upstreams.keys()],
    targets: deps.targets().map(({ upstream, target, state, downForMs, trouble }) => {
      const since = downForMs === undefined ? null : new Date(writes.now() - downForMs).toISOString()
      return { upstream, target, state, since, ...(trouble === undefined ? {} : { cause: trouble.cause }) }
    }),
    gonePlans,
  }
}

const shownMistakes = 10

function refusedAnswer({ since, problems }: RefusedFiles): Answer<'status'>['refusedConfiguration'] {
  const first = problems.slice(0, shownMistakes).map(formatProblem)
  return { since: new Date(since).toISOString(), mistakes: problems.length, first }
}

async function unlessAway<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}

async function isAvailable(store: Store): Promise<boolean> {
  try {
    await store.check()
    return true
  } catch (error) {
    if (error instanceof StoreUnavailable) return false
    throw error
  }
}
