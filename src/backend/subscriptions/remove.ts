// DELETE /api/v2/subscriptions/{id}: the subscription and its resource group are gone.

import { requireCaller } from '../caller.js'
import type { BackendContext, Handler } from '../operations.js'
import { checkPreconditions } from '../preconditions.js'
import { checkSettled } from '../provisioning-states.js'
import { checkMove } from '../subscription-states.js'
import { changeRecord, recordId } from './record.js'

/** 204. 404, also the second time; 409 while the resource group is in the middle of something; 412. */
export function deleteSubscription(context: BackendContext): Handler {
  return async (request, reply) => {
    const { tenantId } = requireCaller(request)
    await changeRecord(context, { tenantId, id: recordId(request) }, async (pair, at) => {
      checkMove(pair.subscription.state, 'Deleted')
      checkSettled(pair.group.provisioningState)
      checkPreconditions(request.headers, at.version)
      return (await context.source.deleteSubscription(at)) ? 'deleted' : undefined
    })
    return reply.code(204).send()
  }
}
