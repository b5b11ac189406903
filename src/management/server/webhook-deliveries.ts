// What was sent to a webhook, and what is to be: look at it, try the webhook out, have an event or all dead letters sent
// again.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { redeliver, replay, sendTestEvent } from '../../events/deliveries.js'
import { WebhookRefusal } from '../../events/refusal.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { countDeliveries, readDelivery } from '../../storage/sql/webhooks/deliveries-of-webhook.js'
import { listDeliveries } from '../../storage/sql/webhooks/delivery-lists.js'
import type { DeliveryRow } from '../../storage/sql/webhooks/event-deliveries.js'
import { callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { pageOf } from '../answers/page-of.js'
import { iso, isoOrNull } from '../answers/times.js'
import type { ManagementDependencies } from '../dependencies.js'
import { ownWebhook } from './own-webhook.js'
import { type WebhookAnswer, webhookAnswers, webhookQueries } from './webhook-schemas.js'

const config = requires('Event.ReadWrite.All')
const mostCounted = 10_000

interface ById {
  Params: { id: string }
}

interface ByDelivery {
  Params: { id: string; deliveryId: string }
}

/** What hangs on `/webhooks/{id}`. */
export function deliveryRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<ById>(
    '/webhooks/:id/test',
    { config, schema: { response: { 200: webhookAnswers.tested } } },
    async (request) => {
      const webhook = await ownWebhook(deps, callerOf(request), request.params.id)
      const { sealer, send, baseUrl } = deps.webhookSender
      const sent = await sendTestEvent({ sealer, send, baseUrl, now: deps.writes.now }, webhook)
      return { delivered: sent.reason === null, ...sent }
    },
  )
  readingRoutes(app, deps)
  app.post<ByDelivery>(
    '/webhooks/:id/deliveries/:deliveryId/redeliver',
    { config, schema: { response: { 202: webhookAnswers.delivery } } },
    async (request, reply) => {
      const webhook = await ownWebhook(deps, callerOf(request), request.params.id)
      const row = await redeliver(writesOf(deps, request), webhook, parseGuid(request.params.deliveryId) ?? '')
      reply.code(202)
      return deliveryAnswer(row)
    },
  )
  app.post<ById>(
    '/webhooks/:id/replay',
    { config, schema: { response: { 202: webhookAnswers.replayed } } },
    async (request, reply) => {
      const webhook = await ownWebhook(deps, callerOf(request), request.params.id)
      const { count, isMore } = await replay(writesOf(deps, request), webhook)
      reply.code(202)
      return { count, more: isMore }
    },
  )
}

function readingRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { reader } = deps.store
  app.get<ById & { Querystring: Static<typeof webhookQueries.deliveries> }>(
    '/webhooks/:id/deliveries',
    { config, schema: { querystring: webhookQueries.deliveries, response: { 200: webhookAnswers.deliveries } } },
    async (request) => {
      const { id: webhookId } = await ownWebhook(deps, callerOf(request), request.params.id)
      const { state, ...query } = request.query
      const path = `/webhooks/${webhookId}/deliveries`
      const list = { path, list: `deliveries ${webhookId}`, narrowedBy: { state }, query } as const
      const { rows, more } = await pageOf(
        deps.pagingKey,
        list,
        ({ limit, after }) => listDeliveries(reader, { webhookId, state, before: after && Number(after.name), limit }),
        ({ position, id }) => ({ name: String(position), id }),
      )
      return { value: rows.map(deliveryAnswer), ...more }
    },
  )
  app.get<ById>(
    '/webhooks/:id/backlog',
    { config, schema: { response: { 200: webhookAnswers.backlog } } },
    async (request) => {
      const { id: webhookId } = await ownWebhook(deps, callerOf(request), request.params.id)
      const count = (state: string) => countDeliveries(reader, { webhookId, state, limit: mostCounted })
      const [waiting, dead] = [await count('waiting'), await count('dead')]
      return { waiting, dead, atLeast: waiting === mostCounted || dead === mostCounted }
    },
  )
  app.get<ByDelivery>(
    '/webhooks/:id/deliveries/:deliveryId',
    { config, schema: { response: { 200: webhookAnswers.deliveryWithBody } } },
    async (request) => {
      const { id: webhookId } = await ownWebhook(deps, callerOf(request), request.params.id)
      const row = await readDelivery(reader, { webhookId, id: parseGuid(request.params.deliveryId) ?? '' })
      if (row === undefined) throw new WebhookRefusal('DeliveryNotFound', 'There is no such delivery.')
      return { ...deliveryAnswer(row), body: row.body }
    },
  )
}

function deliveryAnswer(row: DeliveryRow): WebhookAnswer<'delivery'> {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    attempts: row.attempts,
    lastStatus: row.last_status,
    state: row.state as WebhookAnswer<'delivery'>['state'],
    createdAt: iso(row.created_at),
    nextAttemptAt: row.state === 'waiting' ? iso(row.next_at) : null,
    lastAttemptAt: isoOrNull(row.last_at),
    lastReason: row.last_reason as WebhookAnswer<'delivery'>['lastReason'],
    lastDurationMs: row.last_ms,
  }
}
