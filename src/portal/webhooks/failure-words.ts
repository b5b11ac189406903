// Why an event was not delivered, in words.

import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'

type Reason = NonNullable<WebhookAnswer<'delivery'>['lastReason']>

const words: Readonly<Record<Reason, string>> = {
  secret: 'It could not be signed: the signing secret cannot be opened with the master key of this server.',
  no_public_address: 'The name of the receiver leads to no public address.',
  timeout: 'No answer within ten seconds.',
  tls: 'The certificate of the receiver cannot be verified.',
  unreachable: 'There is no connection to the receiver.',
  redirect: 'The receiver answered with a redirect, which is not followed.',
  status: 'Only an answer of 2xx counts as delivered.',
}

/** A sentence; empty: nothing is wrong. */
export function failureWords(reason: Reason | null): string {
  return reason === null ? '' : words[reason]
}
