// Checked again in the transaction that writes: between the question who calls and the change lies a body that may take
// long, and other people's changes. A caller that is demoted or disabled meanwhile changes nothing any more.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import type { Statements } from '../../storage/sql/store.js'
import { findUser } from '../../users/accounts/users.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import { isSignedIn } from '../../users/sessions/signed-in.js'
import type { Caller } from '../access/access.js'
import { requireStillGood, type StillGoodDependencies } from '../access/still-good.js'

type Member = Extract<Caller, { kind: 'member' }>

/** Of these a write of the caller's about themselves is done; what follows has to bear what it changed. */
const passed = new WeakSet<FastifyRequest>()

interface Asking {
  request: FastifyRequest
  caller: Caller
}

/**
 * Throws ApiError 401 when the caller's token has ended since the request came, 403 when the caller is less than they were
 * or has signed out. Throws StoreUnavailable.
 */
export async function recheckCaller(
  deps: StillGoodDependencies,
  tx: Statements,
  { request, caller }: Asking,
): Promise<void> {
  if (caller.kind === 'local' || passed.has(request)) return
  requireStillGood(deps, caller.principal)
  if (!(await standsAs(tx, caller)) || !(await isEnabled(tx, caller))) {
    throw new ApiError(
      403,
      'NoLongerAllowed',
      'Your permissions changed during this request, and the rest of it was not done. Look at what is there, and try again.',
    )
  }
}

/** A write of the request is committed. */
export function notePassed({ request, caller }: Asking): void {
  if (caller.kind === 'member' && isAboutThemselves(request, caller)) passed.add(request)
}

function isAboutThemselves({ params }: FastifyRequest, { person, principal }: Member): boolean {
  const own = [person?.userId, principal.kind === 'session' ? undefined : principal.applicationId]
  return Object.values(params as Record<string, unknown>).some(
    (id) => typeof id === 'string' && own.includes(id.toLowerCase()),
  )
}

async function standsAs(tx: Statements, { person, tenantId, principal }: Member): Promise<boolean> {
  if (person === undefined) return true
  if (principal.kind === 'session' && !(await isSignedIn(tx, person.userId, principal.session))) return false
  const [user, membership] = await Promise.all([
    findUser(tx, person.userId),
    findMembership(tx, person.userId, tenantId),
  ])
  if (user?.state !== 'enabled' || membership === undefined) return false
  return isAtLeast(membership.role, person.role) && (user.isOperator || !person.isOperator)
}

/** Of the application that they come through, or that comes as itself. */
async function isEnabled(tx: Statements, { principal }: Member): Promise<boolean> {
  if (principal.kind === 'session' || principal.applicationId === commandLineClient.applicationId) return true
  const [record] = await readApplications(tx, 'id', principal.applicationId)
  return record?.application.state === 'enabled'
}
