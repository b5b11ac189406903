// Who writes through the management API, for the ledger.

import type { FastifyRequest } from 'fastify'
import { writesAs } from '../../directory/actor.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { appendKeyAudit } from '../../ledger/append-audit.js'
import type { Statements } from '../../storage/sql/store.js'
import type { KeyLifecycle } from '../../tokens/keys/key-lifecycle.js'
import type { UserWrites } from '../../users/writes.js'
import { recheckCaller } from '../acting/caller-recheck.js'
import type { ManagementDependencies } from '../dependencies.js'
import { callerOf } from './access.js'
import type { StillGoodDependencies } from './still-good.js'

/** The directory's writes in the name of this request's caller, who has to be what they were when it came. */
export function writesOf(deps: StillGoodDependencies, request: FastifyRequest): DirectoryWrites {
  const caller = callerOf(request)
  const precondition = (tx: Statements) => recheckCaller(deps, tx, { request, caller })
  return writesAs(deps.writes, { ...caller.origin, precondition })
}

/** As writesOf, about people; what `also` throws ends the transaction: rules about somebody hold when it is written. */
export function peopleOf(
  deps: StillGoodDependencies & Pick<ManagementDependencies, 'users'>,
  request: FastifyRequest,
  also?: (tx: Statements) => Promise<unknown>,
): UserWrites {
  const caller = callerOf(request)
  const precondition = async (tx: Statements) => {
    await recheckCaller(deps, tx, { request, caller })
    await also?.(tx)
  }
  return writesAs(deps.users, { ...caller.origin, precondition })
}

/** The life of the keys in the name of this request's caller. */
export function keysOf(
  deps: StillGoodDependencies & Pick<ManagementDependencies, 'keys'>,
  request: FastifyRequest,
): KeyLifecycle {
  const { store, feed, encryption, settings, now, generate } = deps.keys
  return {
    store,
    feed,
    encryption,
    settings,
    now,
    ...(generate === undefined ? {} : { generate }),
    audit: appendKeyAudit(writesOf(deps, request)),
  }
}
