// People who have to have a second factor do nothing here before they have shown it, whatever they came with: a token or
// a session may be older than the demand (decision 119).

import type { FastifyRequest } from 'fastify'
import { insufficientAuthentication } from '../../gateway/bearer-errors.js'
import { requestContext } from '../../http/requests/request-context.js'
import { secondFactorClass } from '../../oauth/authentication-class.js'
import { factorDemand } from '../../users/credentials/factor-demand.js'
import type { ManagementDependencies } from '../dependencies.js'

/** Throws ApiError 401 SecondFactorRequired (RFC 9470 §3); StoreUnavailable. */
export async function checkDemandedFactor(
  { users, settings }: Pick<ManagementDependencies, 'users' | 'settings'>,
  request: FastifyRequest,
  { userId, acr }: { userId: string; acr?: string | undefined },
): Promise<void> {
  if (acr === secondFactorClass || (await factorDemand(users, userId))?.isDue !== true) return
  requestContext(request).entry.reason = 'no_second_factor'
  const need = { acrValues: secondFactorClass }
  throw insufficientAuthentication(need, settings.catalogue.own.id, settings.server.baseUrl).error
}
