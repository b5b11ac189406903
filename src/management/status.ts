// The state of this instance, for people and for `doctor`. It answers also when the Store does not.

import type { FastifyInstance } from 'fastify'
import { type Store, StoreUnavailable } from '../memory/store/store.js'
import type { ManagementDependencies } from './dependencies.js'
import { type Answer, answers } from './schemas.js'

/** `GET /status`. */
export function statusRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get('/status', { schema: { response: { 200: answers.status } } }, async () => statusAnswer(deps))
}

async function statusAnswer(deps: ManagementDependencies): Promise<Answer<'status'>> {
  const { settings, view, writes, store, feed, membership, lead, health } = deps
  const viewAgeMs = feed.ageMs()
  return {
    version: deps.version,
    mode: settings.mode,
    baseUrl: settings.server.baseUrl,
    uptimeSeconds: Math.max(0, Math.round((writes.now() - deps.startedAt) / 1000)),
    seq: view.seq,
    // Infinite before the first load, which JSON cannot say.
    viewAgeMs: Number.isFinite(viewAgeMs) ? Math.round(viewAgeMs) : -1,
    viewStale: view.isStale(),
    revocationEntries: view.entries,
    store: { kind: store.kind, available: await isAvailable(store) },
    redis: health.redisUp === undefined ? null : { available: health.redisUp },
    instance: membership.instanceId,
    lead: lead.isLead(),
    instances: membership.members().map(({ id, name, startedAt, appliedSeq }) => ({
      ...{ id, name, seq: id === membership.instanceId ? view.seq : appliedSeq },
      startedAt: new Date(startedAt).toISOString(),
    })),
    routes: settings.routes.length,
    upstreams: [...settings.upstreams.keys()],
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
