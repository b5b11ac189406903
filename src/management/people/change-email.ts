// Somebody's address, changed by somebody else: it is requested, and counts when the person uses the link that was
// mailed, or when somebody who may says so (contract §8). An operator may, for everybody; a tenant's administrator may
// where no mail is sent, and only their own tenant's applications are told an address on their word. An application
// never may.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { Confirmation } from '../../users/mail/confirmed-email.js'
import { askForEmail, vouchForEmail } from '../../users/mail/email-change.js'
import type { User } from '../../users/records.js'
import { UserRefusal } from '../../users/refusal.js'
import { type Caller, callerOf } from '../access/access.js'
import { peopleOf } from '../access/origin.js'
import type { ManagementDependencies } from '../dependencies.js'
import { manageableUser } from './people-rules.js'
import { isOperator } from './tenant-of-path.js'

/**
 * Asks for the address, or with `emailVerified` confirms it; without one the present address. Throws UserRefusal
 * (InvalidEmail, EmailTaken), ApiError 403 and 429, StoreUnavailable.
 */
export async function changeEmail(
  deps: ManagementDependencies,
  request: FastifyRequest,
  { userId, email: present }: User,
  { email = present, emailVerified }: { email?: string | undefined; emailVerified?: true | undefined },
): Promise<void> {
  const caller = callerOf(request)
  const people = peopleOf(deps, request, (tx) => manageableUser(tx, caller, userId))
  if (emailVerified === true) {
    return slowly(deps, request, caller, () => vouchForEmail(people, userId, email, confirmationOf(deps, caller)))
  }
  const after = await askForEmail(people, userId, email)
  // Nobody's answer waits for the mail server, or says what happened there.
  after().catch((err) =>
    request.log.warn({ requestId: requestContext(request).requestId, err }, 'a mail about an address was not sent'),
  )
}

function confirmationOf({ users }: ManagementDependencies, caller: Caller): Confirmation {
  if (isOperator(caller)) return { by: 'operator' }
  if (caller.kind === 'local' || caller.person === undefined) {
    throw new ApiError(403, 'RoleRequired', 'Only a person confirms an address.', { target: 'emailVerified' })
  }
  if (users.mail === undefined) return { by: 'administrator', tenantId: caller.tenantId }
  const message =
    'Mail is set up here, so the person confirms the address with the link that is mailed to it; beside them only an operator can.'
  throw new ApiError(403, 'OperatorRequired', message, { target: 'emailVerified' })
}

/** Which addresses other tenants' people have is told so slowly that nobody finds out by trying many (U7). */
async function slowly(
  { users }: ManagementDependencies,
  request: FastifyRequest,
  caller: Caller,
  work: () => Promise<void>,
): Promise<void> {
  if (caller.kind === 'local') return work()
  const { address } = requestContext(request)
  const who = `taken:${caller.tenantId} ${caller.person?.userId ?? ''}`
  const turn = await users.throttle.begin({ address, account: who, proof: 'other' })
  if (!turn.allowed) {
    const headers = { 'retry-after': String(turn.retryAfterSeconds) }
    throw new ApiError(429, 'TooManyRequests', 'Too many addresses were tried. Try again later.', { headers })
  }
  let isTaken = false
  try {
    return await work()
  } catch (error) {
    isTaken = error instanceof UserRefusal && error.code === 'EmailTaken'
    throw error
  } finally {
    await turn.end(isTaken ? 'failed' : undefined)
  }
}
