// Who writes through the management API, for the ledger.

import type { FastifyRequest } from 'fastify'
import type { DirectoryWrites } from '../directory/writes.js'
import { accountForKeys } from '../ledger/account.js'
import type { KeyLifecycle } from '../tokens/key-lifecycle.js'
import type { UserWrites } from '../users/writes.js'
import { callerOf } from './access.js'
import type { ManagementDependencies } from './dependencies.js'

/** The directory's writes in the name of this request's caller. */
export function writesOf(deps: Pick<ManagementDependencies, 'writes'>, request: FastifyRequest): DirectoryWrites {
  return { ...deps.writes, ...callerOf(request).origin }
}

/** The writes about people in the name of this request's caller. */
export function peopleOf(deps: Pick<ManagementDependencies, 'users' | 'writes'>, request: FastifyRequest): UserWrites {
  return { ...deps.users, ...writesOf(deps, request) }
}

/** The life of the keys in the name of this request's caller. */
export function keysOf(deps: Pick<ManagementDependencies, 'keys' | 'writes'>, request: FastifyRequest): KeyLifecycle {
  return { ...deps.keys, audit: accountForKeys(writesOf(deps, request)) }
}
