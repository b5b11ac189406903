// GET /sign-in/demanded: where people are led who have to have a second factor before anything else (decision 119). What
// they were about to do waits, and the step-up page asks for what they have, or says how to set one up.

import type { FastifyInstance } from 'fastify'
import { demandedFactorPath } from '../../../web/demanded-factor.js'
import { queryOf } from '../../../web/page-address.js'
import { registerPage } from '../../../web/page-routes.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { isPage } from '../../pending/page-path.js'
import { signInPath } from '../../pending/paths.js'
import { beginPending, findPending, type PendingRequest } from '../../pending/pending-request.js'

/** The sign-in page, for a second factor that is demanded of the person before they go on with this request. */
export function demandedPath(pending: Pick<PendingRequest, 'id'>): string {
  return `${signInPath(pending)}&demanded=yes`
}

/** Registers it. */
export function registerDemanded(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path: demandedFactorPath,
    routeId: 'sign-in-demanded',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      const query = queryOf(request)
      const id = query.get('request')
      const waiting = id === null ? undefined : await findPending(deps, browser, id)
      if (waiting !== undefined) return reply.redirect(demandedPath(waiting), 303)
      const next = query.get('next') ?? ''
      const body = { path: isPage(next) ? next : '/account' }
      return reply.redirect(demandedPath(beginPending(deps, browser, { kind: 'page', body })), 303)
    },
  })
}
