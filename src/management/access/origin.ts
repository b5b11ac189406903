// Who writes through the management API, for the ledger.

import type { FastifyRequest } from 'fastify'
import { onlyIf, type Precondition, writesAs } from '../../directory/actor.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { appendKeyAudit } from '../../ledger/append-audit.js'
import type { KeyLifecycle } from '../../tokens/keys/key-lifecycle.js'
import type { UserWrites } from '../../users/writes.js'
import { notePassed, recheckCaller } from '../acting/caller-recheck.js'
import type { ManagementDependencies } from '../dependencies.js'
import { callerOf } from './access.js'
import type { StillGoodDependencies } from './still-good.js'

/**
 * The directory's writes in the name of this request's caller, who has to be what they were when it came. What `also` throws
 * ends the transaction: a rule about what is changed holds when it is written.
 */
export function writesOf(deps: StillGoodDependencies, request: FastifyRequest, also?: Precondition): DirectoryWrites {
  return inTheName(deps.writes, deps, request, also)
}

/** As writesOf, about people. */
export function peopleOf(
  deps: StillGoodDependencies & Pick<ManagementDependencies, 'users'>,
  request: FastifyRequest,
  also?: Precondition,
): UserWrites {
  return inTheName(deps.users, deps, request, also)
}

function inTheName<W extends DirectoryWrites>(
  writes: W,
  deps: StillGoodDependencies,
  request: FastifyRequest,
  also: Precondition | undefined,
): W {
  const by = { request, caller: callerOf(request) }
  const named = writesAs(writes, by.caller.origin)
  const checked = onlyIf(
    named,
    (tx) => recheckCaller(deps, tx, by),
    () => notePassed(by),
  )
  return also === undefined ? checked : onlyIf(checked, also)
}

/** The life of the keys in the name of this request's caller. */
export function keysOf(
  deps: StillGoodDependencies & Pick<ManagementDependencies, 'keys'>,
  request: FastifyRequest,
): KeyLifecycle {
  const { store, encryption, settings, now, generate } = deps.keys
  const writes = writesOf(deps, request)
  return {
    store,
    feed: writes.feed,
    encryption,
    settings,
    now,
    ...(generate === undefined ? {} : { generate }),
    audit: appendKeyAudit(writes),
  }
}
