// Where a tenant's events go (decision 0066): list, make, change, delete, and which events there are. Callers that may
// do this learn what happens in the tenant, so it is for its administrators.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { describedEvents } from '../../events/event-words.js'
import { rotateSecret } from '../../events/secret-rotation.js'
import { changeWebhook, createWebhook, removeWebhook } from '../../events/webhooks.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import type { Statements } from '../../storage/sql/store.js'
import { readWebhooks } from '../../storage/sql/webhooks/webhooks.js'
import { callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownTenantId } from '../access/ownership.js'
import { sendTagged, unlessChanged } from '../answers/entity-tag.js'
import type { ManagementDependencies } from '../dependencies.js'
import { findWebhook, ownWebhook, webhookAnswer } from './own-webhook.js'
import { deliveryRoutes } from './webhook-deliveries.js'
import { type WebhookBody, webhookAnswers, webhookBodies, webhookQueries } from './webhook-schemas.js'

const config = requires('Event.ReadWrite.All')
const defaultOverlapSeconds = 86_400

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
  secretRoutes(app, deps)
  deliveryRoutes(app, deps)
}

function secretRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<ById & { Body: WebhookBody<'rotate'> }>(
    '/webhooks/:id/secret',
    { config, schema: { body: webhookBodies.rotate, response: { 201: webhookAnswers.createdWebhook } } },
    async (request, reply) => {
      const { id } = await ownWebhook(deps, callerOf(request), request.params.id)
      const { overlapSeconds = defaultOverlapSeconds } = request.body
      const made = await rotateSecret(writesOf(deps, request), deps.webhookSender, id, overlapSeconds * 1000)
      reply.code(201)
      return { ...webhookAnswer(made.webhook), secret: made.secret }
    },
  )
}

function listAndCreate(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get('/webhookEvents', { config, schema: { response: { 200: webhookAnswers.events } } }, async () => ({
    value: describedEvents,
  }))
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

async function firstTenant(statements: Statements): Promise<string> {
  const [first] = await listTenants(statements, 1)
  if (first !== undefined) return first.id
  throw new DirectoryRefusal('TenantNotFound', 'There is no tenant yet: create one.', 'tenantId')
}
