// A link with which an administrator says who one of their people is at a provider (decision 130). An account that other
// tenants have too may get one: it is used by its person, and those tenants keep their say.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { createLink } from '../../users/accounts/one-time-links.js'
import { UserRefusal } from '../../users/refusal.js'
import { callerOf } from '../access/access.js'
import { peopleOf } from '../access/origin.js'
import { ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { mayHoldLinks } from './admission.js'
import { checkMayChangeRole, ownUser } from './people-rules.js'
import type { PeopleBody } from './people-schemas.js'

/**
 * Makes the link; it is in the answer only. Throws ApiError (403 OwnAccount, RoleRequired; 400), and UserRefusal as
 * createLink does, MailNeeded to an application.
 */
export async function makeProviderLink(
  deps: ManagementDependencies,
  request: FastifyRequest,
  id: string,
  { tenantId: requested, email }: PeopleBody<'linkProvider'>,
): ReturnType<typeof createLink> {
  const caller = callerOf(request)
  const user = await ownUser(deps.store.reader, caller, id)
  const { userId } = user
  const tenantId = ownTenantId(caller, requested?.toLowerCase())
  if (tenantId === undefined) throw new ApiError(400, 'InvalidRequest', 'Name the tenant.', { target: 'tenantId' })
  if (caller.kind !== 'local' && caller.person?.userId === userId) {
    const message = 'Nobody says of themselves who they are at a provider: another administrator does.'
    throw new ApiError(403, 'OwnAccount', message)
  }
  if (!mayHoldLinks(caller)) {
    throw new UserRefusal('MailNeeded', 'An application is given no link: an administrator has to do this.')
  }
  const place = { userId, tenantId }
  await checkMayChangeRole(deps.store.reader, caller, place)
  const people = peopleOf(deps, request, (tx) => checkMayChangeRole(tx, caller, place))
  return createLink(people, { purpose: 'provider-link', ...place, email: email ?? user.email })
}
