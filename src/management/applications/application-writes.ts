// Writes to one application in the name of a request's caller, with what the request says about its state.

import type { FastifyRequest } from 'fastify'
import type { DirectoryWrites } from '../../directory/writes.js'
import { callerOf } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import type { StillGoodDependencies } from '../access/still-good.js'
import { unlessChanged } from '../answers/entity-tag.js'
import { applicationAnswerIn } from './application-answer.js'

/** The directory's writes, which refuse with 412 when the application is not as If-Match says. */
export function applicationWrites(
  deps: StillGoodDependencies,
  request: FastifyRequest,
  applicationId: string,
): DirectoryWrites {
  const params = { caller: callerOf(request), nowMs: deps.writes.now() }
  return unlessChanged(writesOf(deps, request), request, (tx) => applicationAnswerIn(tx, applicationId, params))
}
