// Asks for a recent sign-in before an act with weight. A browser that was left alone, or a token that somebody copied, is then
// worth minutes and not days. An application as itself is no person, and the local socket is its own proof: neither is asked.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principal.js'
import { insufficientAuthentication } from '../../gateway/bearer-errors.js'
import { requestContext } from '../../http/request-context.js'
import type { ManagementDependencies } from '../dependencies.js'
import { hasWeight } from './weight.js'

type Deps = Pick<ManagementDependencies, 'settings' | 'writes'>

/** Makes every route of this scope ask; `principalOf` says who calls. Call it before routes are added. */
export function askRecentSignIn(
  app: FastifyInstance,
  deps: Deps,
  principalOf: (request: FastifyRequest) => Principal,
): void {
  // After the body was checked: its fields say whether the act has weight, and what is wrong with it is told first.
  app.addHook('preHandler', async (request) => {
    if (hasWeight(request.method, request.routeOptions.url ?? '', request.body)) {
      checkSignIn(deps, request, principalOf(request))
    }
  })
}

/** Throws ApiError 401 (RFC 9470 §3) for a person whose sign-in is older than `signIn.recent`, or of whom it is not known. */
function checkSignIn({ settings, writes }: Deps, request: FastifyRequest, principal: Principal): void {
  if (principal.kind === 'local' || principal.kind === 'application') return
  const { recentMs } = settings.signIn
  const { authTime } = principal
  if (authTime !== undefined && writes.now() - authTime * 1000 <= recentMs) return
  requestContext(request).reason = 'old_sign_in'
  const resource = settings.catalogue.own.id
  throw insufficientAuthentication({ maxAgeSeconds: recentMs / 1000 }, resource, settings.server.baseUrl).error
}
