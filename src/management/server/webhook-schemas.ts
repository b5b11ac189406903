// What the routes of webhooks take and answer; as schemas.ts is for the rest.

import { type Static, Type } from 'typebox'
import { eventTypes } from '../../events/event-types.js'
import { pageQuery } from '../answers/page.js'

const strict = { additionalProperties: false }
const reference = Type.String({ minLength: 1, maxLength: 256 })
const time = Type.String()
const timeOrNull = Type.Union([time, Type.Null()])
const url = Type.String({ minLength: 1, maxLength: 2_048, description: 'https, to a public address.' })
const events = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: 40,
  description: `Types, without portcullis. before them: ${eventTypes.join(', ')}; application.* and the like; or * for all.`,
})
const state = Type.Enum(['waiting', 'delivered', 'dead'])
const reason = Type.Union(
  [Type.Enum(['secret', 'no_public_address', 'timeout', 'tls', 'unreachable', 'redirect', 'status']), Type.Null()],
  { description: 'Why it was not delivered.' },
)
const status = Type.Union([Type.Integer(), Type.Null()], { description: 'HTTP status; null: there was no answer.' })

/** The queries, by operation. */
export const webhookQueries = {
  webhooks: Type.Object({ tenantId: Type.Optional(reference) }, strict),
  deliveries: Type.Object({ state: Type.Optional(state), ...pageQuery.properties }, strict),
}

/** The request bodies, by operation. */
export const webhookBodies = {
  create: Type.Object(
    {
      url,
      events,
      /** Absent: the caller's own tenant; for the local socket the oldest. */
      tenantId: Type.Optional(reference),
    },
    strict,
  ),
  change: Type.Object(
    { url: Type.Optional(url), events: Type.Optional(events), enabled: Type.Optional(Type.Boolean()) },
    { ...strict, minProperties: 1 },
  ),
  rotate: Type.Object(
    {
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          description: 'For so long events are signed with the secret before, too. Absent: 86400, a day.',
        }),
      ),
    },
    strict,
  ),
}

const webhook = Type.Object({
  id: Type.String(),
  tenantId: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  disabledBecause: Type.Union([Type.Enum(['gone', 'failing']), Type.Null()], {
    description: 'Why the server disabled it: the receiver answered 410, or has failed for five days.',
  }),
  /** The id of the person or application that made it; empty: the local socket. */
  createdBy: Type.String(),
  createdAt: time,
  updatedAt: time,
  /** Since when every attempt has failed; null: the last one did not. */
  failingSince: timeOrNull,
  /** Until when the secret before the last rotation signs too; null: it was never rotated with an overlap. */
  earlierSecretUntil: timeOrNull,
})
const delivery = Type.Object({
  id: Type.String(),
  /** The event's own, the same at every attempt. */
  eventId: Type.String(),
  type: Type.String(),
  state,
  attempts: Type.Integer(),
  createdAt: time,
  nextAttemptAt: timeOrNull,
  lastAttemptAt: timeOrNull,
  lastStatus: status,
  lastReason: reason,
  /** How long the last attempt took. */
  lastDurationMs: Type.Union([Type.Integer(), Type.Null()]),
})

/** The answers, by what they describe. */
export const webhookAnswers = {
  webhook,
  webhooks: Type.Object({ value: Type.Array(webhook) }),
  /** `secret` is here and nowhere else, once. */
  createdWebhook: Type.Object({ ...webhook.properties, secret: Type.String() }),
  delivery,
  deliveries: Type.Object({ value: Type.Array(delivery), nextLink: Type.Optional(Type.String()) }),
  /** `body`: the event as it is sent, CloudEvents 1.0 in JSON. */
  deliveryWithBody: Type.Object({ ...delivery.properties, body: Type.String() }),
  /** What waits for its turn, and what is given up; counted up to 10,000 each, which `atLeast` says. */
  backlog: Type.Object({ waiting: Type.Integer(), dead: Type.Integer(), atLeast: Type.Boolean() }),
  /** How many dead letters are sent again; `more`: there are further ones. */
  replayed: Type.Object({ count: Type.Integer(), more: Type.Boolean() }),
  tested: Type.Object({
    delivered: Type.Boolean(),
    eventId: Type.String(),
    status,
    reason,
    durationMs: Type.Integer(),
  }),
  events: Type.Object({ value: Type.Array(Type.Object({ type: Type.String(), description: Type.String() })) }),
}

/** A request body by its operation, such as `WebhookBody<'create'>`. */
export type WebhookBody<Operation extends keyof typeof webhookBodies> = Static<(typeof webhookBodies)[Operation]>

/** An answer by what it describes. */
export type WebhookAnswer<Subject extends keyof typeof webhookAnswers> = Static<(typeof webhookAnswers)[Subject]>
