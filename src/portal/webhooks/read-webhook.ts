// The webhook that a page is about.

import type { FastifyRequest } from 'fastify'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import type { PortalContext } from '../context.js'

export type Webhook = WebhookAnswer<'webhook'>

/** The list, and the entry of the navigation. */
export const webhooksPath = '/portal/webhooks'

/** Its page, or one below it. */
export function webhookPath({ id }: Pick<Webhook, 'id'>, below?: string): string {
  return `${webhooksPath}/${id}${below === undefined ? '' : `/${below}`}`
}

/** The one that the address names. Throws ApiError 404. */
export async function readWebhook(request: FastifyRequest, context: PortalContext): Promise<Webhook> {
  const { webhookId } = request.params as { webhookId: string }
  return context.api<Webhook>('GET', `/webhooks/${encodeURIComponent(webhookId)}`)
}

/** The host, with its port: what one calls it by. The path may have a secret of the receiver in it. */
export function hostOf({ url }: Pick<Webhook, 'url'>): string {
  return new URL(url).host
}
