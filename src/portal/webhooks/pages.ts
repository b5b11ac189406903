// The pages about webhooks.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerDeleteWebhook } from './delete-page.js'
import { registerDeliveryPage } from './delivery-page.js'
import { registerEditPages } from './edit-pages.js'
import { registerWebhookList } from './list-page.js'
import { registerSigningSecret } from './signing-secret.js'
import { registerWebhookPage } from './webhook-page.js'

/** Registers them. */
export function webhookPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerWebhookList(scope, deps)
  registerEditPages(scope, deps)
  registerWebhookPage(scope, deps)
  registerSigningSecret(scope, deps)
  registerDeleteWebhook(scope, deps)
  registerDeliveryPage(scope, deps)
}
