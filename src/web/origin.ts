// Where what a request does comes from, for the ledger and the activity log.

import type { FastifyRequest } from 'fastify'
import { requestContext } from '../http/requests/request-context.js'
import type { Actor, Origin } from '../ledger/ledger.js'

/**
 * The origin of what `actor` does with this request: for `writesAs` (directory/actor.ts), and for what is audited
 * beside it.
 */
export function originOf(request: FastifyRequest, actor: Actor): Required<Origin> {
  const { requestId, address } = requestContext(request)
  return { actor, requestId, address }
}
