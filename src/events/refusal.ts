// Why a webhook may not be made or changed as asked. The management API turns it into a status; nothing in it is secret.

/** What kind of refusal each code is: it decides the HTTP status at the edge. */
export const webhookRefusalKinds = {
  WebhookNotFound: 'not_found',
  DeliveryNotFound: 'not_found',
  InvalidWebhookUrl: 'invalid',
  UnknownEvent: 'invalid',
  TooManyWebhooks: 'conflict',
  WebhookDisabled: 'conflict',
} as const

/** `message` is safe to send; `target` names the field it is about. */
export class WebhookRefusal extends Error {
  readonly code: keyof typeof webhookRefusalKinds
  readonly target: string | undefined

  constructor(code: keyof typeof webhookRefusalKinds, message: string, target?: string) {
    super(message)
    this.name = 'WebhookRefusal'
    this.code = code
    this.target = target
  }
}
