// Who does what a page writes.

import type { FastifyRequest } from 'fastify'
import { writesAs } from '../directory/actor.js'
import type { UserWrites } from '../users/writes.js'
import type { PageDependencies } from './dependencies.js'
import { originOf } from './origin.js'

/** The collaborators of people's writes, with who does it and from where for the ledger. */
export function actingAs(deps: Pick<PageDependencies, 'users'>, request: FastifyRequest, userId: string): UserWrites {
  return writesAs(deps.users, originOf(request, { kind: 'user', userId }))
}
