// People who have to have a second factor (decision 119) are led to it before anything else: every page but those on
// which they sign in, set one up or sign out leads there. A page that does not say otherwise is held back.

import type { FastifyRequest } from 'fastify'
import { requestContext } from '../http/requests/request-context.js'
import { secondFactorClass } from '../oauth/authentication-class.js'
import { type FactorDemand, factorDemand } from '../users/credentials/factor-demand.js'
import type { Session } from '../users/records.js'
import type { PageDependencies } from './dependencies.js'
import { ownAddress, queryOf } from './page-address.js'

/** Where they are led; the identity room has the page. */
export const demandedFactorPath = '/sign-in/demanded'

/** What is demanded of a session beyond what it has proved; undefined: nothing. Throws StoreUnavailable. */
export async function demandOf(
  { users }: Pick<PageDependencies, 'users'>,
  session: Pick<Session, 'userId' | 'acr'> | undefined,
): Promise<FactorDemand | undefined> {
  if (session === undefined || session.acr === secondFactorClass) return undefined
  return factorDemand(users, session.userId)
}

/** Whether this session may do nothing before it has shown a second factor. Throws StoreUnavailable. */
export async function isHeldBack(
  deps: Pick<PageDependencies, 'users'>,
  session: Pick<Session, 'userId' | 'acr'> | undefined,
): Promise<boolean> {
  return (await demandOf(deps, session))?.isDue === true
}

/**
 * Where to go instead of this page: with the request that it is part of, or the page's path. Queries of the portal's
 * pages say what to look at; those of other pages say what to do.
 */
export function factorAddress(request: FastifyRequest): string {
  const pending = queryOf(request).get('request') ?? (request.params as { id?: string }).id
  const { target } = requestContext(request)
  const path = target.ok ? target.path : '/account'
  if (pending !== undefined && !path.startsWith('/portal/applications')) {
    return `${demandedFactorPath}?request=${encodeURIComponent(pending)}`
  }
  const next = path.startsWith('/portal') ? ownAddress(request) : path
  return `${demandedFactorPath}?next=${encodeURIComponent(next)}`
}
