// POST /api/v2/subscriptions: a subscription with its resource group, both at once.

import { requireCaller } from '../caller.js'
import { answerJson, readBody } from '../json.js'
import type { BackendContext, Handler } from '../operations.js'
import { entityTag } from '../preconditions.js'
import type { SubscriptionPair } from '../source.js'
import { readOnlyFields, SubscriptionName } from './name.js'
import { subscriptionBody } from './representation.js'

/** Where a resource group lies when nobody says otherwise. */
export const defaultLocation = 'global'

/** 201 with the subscription, its Location and ETag. 400 for a body that is not `{displayName}`. */
export function createSubscription({ source, baseUrl, now, newId }: BackendContext): Handler {
  return async (request, reply) => {
    const { tenantId } = requireCaller(request)
    const { displayName } = readBody(SubscriptionName, readOnlyFields, request.body)
    const pair: SubscriptionPair = {
      subscription: {
        id: newId(),
        subscriptionId: newId(),
        displayName,
        state: 'Enabled',
        version: 1,
        createdAt: now(),
      },
      group: { id: newId(), name: displayName, location: defaultLocation, provisioningState: 'Succeeded' },
    }
    await source.addSubscription(tenantId, pair)
    reply.header('location', `${baseUrl}/api/v2/subscriptions/${pair.subscription.id}`)
    reply.header('etag', entityTag(pair.subscription.version))
    return answerJson(reply, 201, subscriptionBody(pair.subscription))
  }
}
