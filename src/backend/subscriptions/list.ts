// GET /api/v2/subscriptions: a bare array, in pages that a Link header chains.

import { requireCaller } from '../caller.js'
import { answerJson } from '../json.js'
import type { BackendContext, Handler } from '../operations.js'
import { parseFilter } from '../query/filter.js'
import { nextLink } from '../query/next-link.js'
import { readQueryOptions, readTop } from '../query/options.js'
import { parseOrderBy } from '../query/order-by.js'
import { createSkipToken, readSkipToken, type SkipTokenScope } from '../query/skip-token.js'
import { subscriptionBody } from './representation.js'

/**
 * 200 with at most $top subscriptions; Link rel="next" while there are more. 400 for query options that cannot be read.
 */
export function listSubscriptions({ source, baseUrl, skipTokenKey }: BackendContext): Handler {
  return async (request, reply) => {
    const { tenantId } = requireCaller(request)
    const options = readQueryOptions(request.url, ['$top', '$filter', '$orderby', '$skiptoken'])
    const { $top, $filter, $orderby, $skiptoken } = options
    const top = readTop($top)
    const filter = $filter === undefined ? undefined : parseFilter($filter)
    const order = parseOrderBy($orderby)
    const scope: SkipTokenScope = { list: 'subscriptions', tenantId, filter: $filter, orderBy: $orderby }
    const after = $skiptoken === undefined ? undefined : readSkipToken(skipTokenKey, scope, $skiptoken)

    // One row more than requested tells whether there is a next page.
    const rows = await source.listSubscriptions(tenantId, { filter, order, after, limit: top + 1 })
    const page = rows.slice(0, top)
    const last = page.at(-1)
    if (rows.length > top && last !== undefined) {
      const position = order.map(({ field }) => last[field])
      const next = { ...options, $skiptoken: createSkipToken(skipTokenKey, scope, position) }
      reply.header('link', nextLink(`${baseUrl}/api/v2/subscriptions`, next))
    }
    return answerJson(reply, 200, page.map(subscriptionBody))
  }
}
