// GET /api/v2/subscriptions/{id}

import { requireCaller } from '../caller.js'
import { answerJson } from '../json.js'
import type { BackendContext, Handler } from '../operations.js'
import { entityTag, isNotModified } from '../preconditions.js'
import { readQueryOptions } from '../query/options.js'
import { notFound, recordId } from './record.js'
import { subscriptionBody } from './representation.js'

/** 200 with the subscription and its ETag, 304 when If-None-Match names it, 404 for what this tenant does not have. */
export function readSubscription({ source }: BackendContext): Handler {
  return async (request, reply) => {
    const { tenantId } = requireCaller(request)
    readQueryOptions(request.url, [])
    const pair = await source.findSubscription(tenantId, recordId(request))
    if (pair === undefined) throw notFound()
    const { subscription } = pair
    reply.header('etag', entityTag(subscription.version))
    if (isNotModified(request.headers, subscription.version)) return reply.code(304).send()
    return answerJson(reply, 200, subscriptionBody(subscription))
  }
}
