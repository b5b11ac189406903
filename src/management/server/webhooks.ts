// Where a tenant's events go (decision 0066): list, make, change, delete, try out, and look at what arrived. Callers
// that may do this learn what happens in the tenant, so it is for its administrators.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { redeliver, sendTestEvent } from '../../events/deliveries.js'
import { WebhookRefusal } from '../../events/refusal.js'
import { changeWebhook, createWebhook, removeWebhook } from '../../events/webhooks.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import type { Statements } from '../../storage/sql/store.js'
import { listDeliveries } from '../../storage/sql/webhooks/delivery-lists.js'
import type { DeliveryRow } from '../../storage/sql/webhooks/event-deliveries.js'
import { readWebhooks, type WebhookRow } from '../../storage/sql/webhooks/webhooks.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { owns, ownTenantId } from '../access/ownership.js'
import { sendTagged, unlessChanged } from '../answers/entity-tag.js'
import type { ManagementDependencies } from '../dependencies.js'
import {
  type WebhookAnswer,
  type WebhookBody,
  webhookAnswers,
  webhookBodies,
  webhookQueries,
} from './webhook-schemas.js'

const config = requires('Event.ReadWrite.All')
const deliveriesShown = 50

interface ById {
  Params: { id: string }
}

/** `GET|POST /webhooks`, `GET|PATCH|DELETE /webhooks/{id}`, and what hangs on one. */
export function webhookRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  listAndCreate(app, deps)
  app.get<ById>(
    '/webhooks/:id',
    { config, schema: { response: { 200: webhookAnswers.webhook } } },
    async (request, reply) =>
      sendTagged(request, reply, webhookAnswer(await ownWebhook(deps, callerOf(request), request.params.id))),
  )
  app.patch<ById & { Body: WebhookBody<'change'> }>(
    '/webhooks/:id',
    { config, schema: { body: webhookBodies.change, response: { 200: webhookAnswers.webhook } } },
    async (request, reply) => {
      const { id } = await ownWebhook(deps, callerOf(request), request.params.id)
      const writes = unlessChanged(writesOf(deps, request), request, async (tx) => {
        const found = await findWebhook(tx, id)
        return found === undefined ? undefined : webhookAnswer(found)
      })
      return sendTagged(
        request,
        reply,
        webhookAnswer(await changeWebhook(writes, deps.webhookSender, id, request.body)),
      )
    },
  )
  app.delete<ById>('/webhooks/:id', { config }, async (request, reply) => {
    const { id } = await ownWebhook(deps, callerOf(request), request.params.id)
    await removeWebhook(writesOf(deps, request), id)
    return reply.code(204).send()
  })
  deliveryRoutes(app, deps)
}

function listAndCreate(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: Static<typeof webhookQueries.webhooks> }>(
    '/webhooks',
    { config, schema: { querystring: webhookQueries.webhooks, response: { 200: webhookAnswers.webhooks } } },
    async (request) => {
      const tenantId = ownTenantId(callerOf(request), request.query.tenantId?.toLowerCase())
      return { value: (await readWebhooks(deps.store.reader, { tenantId })).map(webhookAnswer) }
    },
  )
  app.post<{ Body: WebhookBody<'create'> }>(
    '/webhooks',
    { config, schema: { body: webhookBodies.create, response: { 201: webhookAnswers.createdWebhook } } },
    async (request, reply) => {
      const { url, events, tenantId: requested } = request.body
      const tenantId = ownTenantId(callerOf(request), requested) ?? (await firstTenant(deps.store.reader))
      const made = await createWebhook(writesOf(deps, request), deps.webhookSender, { tenantId, url, events })
      reply.code(201).header('location', `/api/v2/webhooks/${made.webhook.id}`)
      return { ...webhookAnswer(made.webhook), secret: made.secret }
    },
  )
}

function deliveryRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
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
  app.get<ById & { Querystring: Static<typeof webhookQueries.deliveries> }>(
    '/webhooks/:id/deliveries',
    { config, schema: { querystring: webhookQueries.deliveries, response: { 200: webhookAnswers.deliveries } } },
    async (request) => {
      const { id: webhookId } = await ownWebhook(deps, callerOf(request), request.params.id)
      const { state, $top = deliveriesShown } = request.query
      const rows = await listDeliveries(deps.store.reader, { webhookId, state, limit: Number($top) })
      return { value: rows.map(deliveryAnswer) }
    },
  )
  app.post<{ Params: { id: string; deliveryId: string } }>(
    '/webhooks/:id/deliveries/:deliveryId/redeliver',
    { config, schema: { response: { 202: webhookAnswers.delivery } } },
    async (request, reply) => {
      const webhook = await ownWebhook(deps, callerOf(request), request.params.id)
      const row = await redeliver(writesOf(deps, request), webhook, parseGuid(request.params.deliveryId) ?? '')
      reply.code(202)
      return deliveryAnswer(row)
    },
  )
}

async function ownWebhook({ store }: ManagementDependencies, caller: Caller, reference: string): Promise<WebhookRow> {
  const id = parseGuid(reference)
  const found = id === undefined ? undefined : await findWebhook(store.reader, id)
  if (found === undefined || !owns(caller, found.tenant_id)) {
    throw new WebhookRefusal('WebhookNotFound', 'There is no such webhook.')
  }
  return found
}

async function findWebhook(statements: Statements, id: string): Promise<WebhookRow | undefined> {
  return (await readWebhooks(statements, { id }))[0]
}

async function firstTenant(statements: Statements): Promise<string> {
  const [first] = await listTenants(statements, 1)
  if (first !== undefined) return first.id
  throw new DirectoryRefusal('TenantNotFound', 'There is no tenant yet: create one.', 'tenantId')
}

function webhookAnswer(row: WebhookRow): WebhookAnswer<'webhook'> {
  const because = row.disabled_because
  return {
    id: row.id,
    tenantId: row.tenant_id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    enabled: row.enabled === 1,
    disabledBecause: because === 'gone' || because === 'failing' ? because : null,
    createdBy: row.created_by,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    failingSince: isoOrNull(row.failing_since),
  }
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
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms)
}
