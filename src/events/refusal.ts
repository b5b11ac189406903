// Why a webhook may not be made or changed as requested. The management API turns it into a status; nothing in it is
// secret.

import { Refusal } from '../oauth/errors/refusal.js'

/** What kind of refusal each code is: it decides the HTTP status at the edge. */
const webhookRefusalKinds = {
  WebhookNotFound: 'not_found',
  DeliveryNotFound: 'not_found',
  InvalidWebhookUrl: 'invalid',
  UnknownEvent: 'invalid',
  TooManyWebhooks: 'conflict',
  WebhookDisabled: 'conflict',
} as const

export type WebhookRefusalCode = keyof typeof webhookRefusalKinds

/** `message` is safe to send; `target` names the field it is about. */
export class WebhookRefusal extends Refusal<WebhookRefusalCode> {
  constructor(code: WebhookRefusalCode, message: string, target?: string) {
    super(webhookRefusalKinds, { code, message, target })
  }
}
