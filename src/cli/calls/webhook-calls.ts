// The part of the management API that is about webhooks, as the commands use it.

import type { WebhookAnswer, WebhookBody } from '../../management/server/webhook-schemas.js'
import type { LocalClient } from './local-client.js'

type Webhook = WebhookAnswer<'webhook'>

/** The calls. */
export interface WebhookCalls {
  create(body: WebhookBody<'create'>): Promise<WebhookAnswer<'createdWebhook'>>
  list(tenantId: string | undefined): Promise<Webhook[]>
  show(id: string): Promise<Webhook>
  change(id: string, body: WebhookBody<'change'>): Promise<Webhook>
  remove(id: string): Promise<unknown>
  test(id: string): Promise<WebhookAnswer<'tested'>>
  deliveries(id: string, state: string | undefined): Promise<WebhookAnswer<'deliveries'>['value']>
  readDelivery(id: string, deliveryId: string): Promise<WebhookAnswer<'deliveryWithBody'>>
  redeliver(id: string, deliveryId: string): Promise<WebhookAnswer<'delivery'>>
  backlog(id: string): Promise<WebhookAnswer<'backlog'>>
  replay(id: string): Promise<WebhookAnswer<'replayed'>>
  rotate(id: string, body: WebhookBody<'rotate'>): Promise<WebhookAnswer<'createdWebhook'>>
}

/** The calls over `client`. */
export function webhookCalls(client: LocalClient): WebhookCalls {
  const call = async <T>(method: string, path: string, body?: unknown) => (await client.call(method, path, body)) as T
  const list = async <T>(path: string, filter: Record<string, string | undefined>) => {
    const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
    return (await call<{ value: T[] }>('GET', path + query)).value
  }
  const one = (id: string) => `/webhooks/${encodeURIComponent(id)}`
  return {
    create: (body) => call('POST', '/webhooks', body),
    list: (tenantId) => list('/webhooks', { tenantId }),
    show: (id) => call('GET', one(id)),
    change: (id, body) => call('PATCH', one(id), body),
    remove: (id) => call('DELETE', one(id)),
    test: (id) => call('POST', `${one(id)}/test`),
    deliveries: (id, state) => list(`${one(id)}/deliveries`, { state }),
    readDelivery: (id, deliveryId) => call('GET', `${one(id)}/deliveries/${encodeURIComponent(deliveryId)}`),
    backlog: (id) => call('GET', `${one(id)}/backlog`),
    replay: (id) => call('POST', `${one(id)}/replay`),
    rotate: (id, body) => call('POST', `${one(id)}/secret`, body),
    redeliver: (id, deliveryId) => call('POST', `${one(id)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`),
  }
}
