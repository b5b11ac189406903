// Where what a request does comes from, for the ledger and the activity log.

import type { FastifyRequest } from 'fastify'
import { requestContext } from '../http/requests/request-context.js'
import type { Actor, Origin } from '../ledger/ledger.js'

/**
 * The origin of what `actor` does with this request. Spread it over collaborators: `{ ...deps.writes, ...originOf(…)
 * }`.
 */
export function originOf(request: FastifyRequest, actor: Actor): Required<Origin> {
  const { requestId, address } = requestContext(request)
  return { actor, requestId, address }
}
