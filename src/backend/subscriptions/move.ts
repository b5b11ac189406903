// POST /api/v2/subscriptions/{id}/state: an administrator moves the state. The table is in subscription-states.ts.

import { Type } from 'typebox'
import { ApiError } from '../../http/answers/api-error.js'
import { requireCaller } from '../caller.js'
import { answerJson, readBody } from '../json.js'
import type { BackendContext, Handler } from '../operations.js'
import { checkPreconditions, entityTag } from '../preconditions.js'
import { checkMove, type SubscriptionState, subscriptionStates } from '../subscription-states.js'
import { changeRecord, recordId } from './record.js'
import { subscriptionBody } from './representation.js'

const states = Object.keys(subscriptionStates) as SubscriptionState[]

/** The body. */
export const StateMove = Type.Object({ state: Type.Enum(states, { description: `one of ${states.join(', ')}` }) })

/**
 * 200 with the subscription and its ETag; staying where it is changes nothing. 400 body, 404, 409 move not in the
 * table, 412.
 */
export function moveSubscription(context: BackendContext): Handler {
  return async (request, reply) => {
    const { tenantId } = requireCaller(request)
    const { state } = readBody(StateMove, [], request.body)
    const moved = await changeRecord(context, { tenantId, id: recordId(request) }, async (pair, at) => {
      const from = pair.subscription.state
      if (from !== state) checkMoveHere(from, state)
      checkPreconditions(request.headers, at.version)
      if (from === state) return pair
      const { displayName } = pair.subscription
      const change = { displayName, state, provisioningState: pair.group.provisioningState }
      return context.source.changeSubscription(at, change, context.now())
    })
    reply.header('etag', entityTag(moved.subscription.version))
    reply.header('content-location', `${context.baseUrl}/api/v2/subscriptions/${moved.subscription.id}`)
    return answerJson(reply, 200, subscriptionBody(moved.subscription))
  }
}

/** Deleting has an operation, and a permission, of its own. */
function checkMoveHere(from: SubscriptionState, to: SubscriptionState): void {
  if (to === 'Deleted') {
    throw new ApiError(409, 'StateTransitionRefused', 'A subscription is deleted with DELETE.', { target: 'state' })
  }
  checkMove(from, to)
}
