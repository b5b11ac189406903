// The operator listener: metrics, liveness, readiness and the masked configuration, on a port of its own, plain HTTP,
// on loopback by default. Nothing of it is on the public listener.

import { isIP } from 'node:net'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Metrics } from '../observability/metrics.js'
import { namedWhile } from '../observability/named-work.js'
import { ApiError, apiErrorBody } from './answers/api-error.js'
import { toApiError } from './answers/error-responses.js'

export interface Readiness {
  ready: boolean
  /**
   * Why not, as stable ids: `view_stale`, `draining`, `starting`; of a primary also `worker_starting`, `worker_silent`.
   */
  reasons: readonly string[]
  /** What does not work although requests may come, as stable ids. */
  degraded?: readonly string[]
}

export interface OperatorOptions {
  /** Of this process, or what a primary adds up of its workers. */
  metrics: {
    registry: Pick<Metrics['registry'], 'contentType' | 'metrics' | 'getMetricsAsJSON'>
    named?: Pick<Metrics['named'], 'shown'>
  }
  readiness(): Readiness | Promise<Readiness>
  /** Whether to leave this process alone. Absent: it answers, so it lives. */
  live?(): Promise<boolean>
  /** Secrets already masked. */
  configuration(): object
  /** Runs before metrics are written: gauges that are read, not counted. */
  refresh?(): void
  /** A name beside IP literals and localhost under which clients call it. */
  host: string
  log: FastifyBaseLogger
}

/** The server, not yet listening. */
export function createOperatorServer(options: OperatorOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1024,
    requestTimeout: 10_000,
  })
  app.addHook('onRequest', async (request) => {
    // A page in a browser on this machine could reach loopback under a name of its own choice (DNS rebinding).
    const name = request.hostname.replace(/^\[|\]$/g, '')
    if (isIP(name) !== 0 || name === 'localhost' || name === options.host) return
    throw new ApiError(421, 'MisdirectedRequest', 'This listener does not answer for that host.')
  })
  app.setErrorHandler((error, request, reply) => {
    const refusal = toApiError(error)
    return reply
      .code(refusal.status)
      .type('application/json')
      .send(apiErrorBody(refusal, request.id, undefined, new Date()))
  })
  app.get('/metrics', async (_request, reply) => {
    options.refresh?.()
    const { registry, named } = options.metrics
    const text = await namedWhile('metrics', () => registry.metrics())
    await named?.shown()
    return reply.type(registry.contentType).send(text)
  })
  // The same as data, for a primary that adds up its workers.
  app.get('/metrics/values', async () => {
    options.refresh?.()
    const { registry, named } = options.metrics
    const values = await registry.getMetricsAsJSON()
    await named?.shown()
    return values
  })
  app.get('/livez', async (_request, reply) => {
    const live = (await options.live?.()) ?? true
    return reply.code(live ? 200 : 503).send({ live })
  })
  app.get('/readyz', async (_request, reply) => {
    const readiness = await options.readiness()
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
  app.get('/config', async () => options.configuration())
  return app as unknown as FastifyInstance
}
