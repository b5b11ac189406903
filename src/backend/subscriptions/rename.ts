// PUT /api/v2/subscriptions/{id}: a new displayName. The specification answers it with the resource group (§4.6).

import { requireCaller } from '../caller.js'
import { answerJson, readBody } from '../json.js'
import type { BackendContext, Handler } from '../operations.js'
import { checkPreconditions } from '../preconditions.js'
import { checkSettled } from '../provisioning-states.js'
import { checkWritable } from '../subscription-states.js'
import { readOnlyFields, SubscriptionName } from './name.js'
import { changeRecord, recordId } from './record.js'
import { groupBody } from './representation.js'

/**
 * 200 with the resource group, which takes the name. 400 body, 404, 409 in a state that is not writable, 412. No ETag:
 * a PUT may carry one only for what was sent (RFC 9110 §9.3.4); Content-Location says what the body is.
 */
export function renameSubscription(context: BackendContext): Handler {
  return async (request, reply) => {
    const { tenantId } = requireCaller(request)
    const { displayName } = readBody(SubscriptionName, readOnlyFields, request.body)
    const changed = await changeRecord(context, { tenantId, id: recordId(request) }, async (pair, at) => {
      const { state } = pair.subscription
      checkWritable(state)
      checkSettled(pair.group.provisioningState)
      checkPreconditions(request.headers, at.version)
      const change = { displayName, state, provisioningState: 'Succeeded' } as const
      return context.source.changeSubscription(at, change, context.now())
    })
    reply.header('content-location', `${context.baseUrl}/api/v2/resourceGroups/${changed.group.id}`)
    return answerJson(reply, 200, groupBody(changed.group))
  }
}
