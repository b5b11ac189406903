// Asks for a recent sign-in before an act with weight, and administrators for a second factor where the settings say so. A
// browser that was left alone, or a token that somebody copied, is then worth minutes and not days. An application as itself is
// no person, and the local socket is its own proof: neither is asked.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principal.js'
import { type AuthenticationNeed, insufficientAuthentication } from '../../gateway/bearer-errors.js'
import { requestContext } from '../../http/request-context.js'
import { secondFactorClass } from '../../oauth/authentication-class.js'
import type { ManagementDependencies } from '../dependencies.js'
import { hasWeight } from './weight.js'

type Deps = Pick<ManagementDependencies, 'settings' | 'writes'>

/** Who asks, and whether as an administrator, an owner or an operator. */
export interface Asking {
  principal: Principal
  administers: boolean
}

/** Makes every route of this scope ask; `askingOf` says who calls. Call it before routes are added. */
export function askRecentSignIn(app: FastifyInstance, deps: Deps, askingOf: (request: FastifyRequest) => Asking): void {
  // After the body was checked: its fields say whether the act has weight, and what is wrong with it is told first.
  app.addHook('preHandler', async (request) => {
    if (hasWeight(request.method, request.routeOptions.url ?? '', request.body)) {
      checkSignIn(deps, request, askingOf(request))
    }
  })
}

/** Throws ApiError 401 (RFC 9470 §3) for a person whose sign-in is not good enough, or of whom it is not known how they signed in. */
function checkSignIn(deps: Deps, request: FastifyRequest, asking: Asking): void {
  const { settings } = deps
  const need = needOf(deps, asking)
  if (need === undefined) return
  requestContext(request).reason = need.acrValues === undefined ? 'old_sign_in' : 'no_second_factor'
  throw insufficientAuthentication(need, settings.catalogue.own.id, settings.server.baseUrl).error
}

/** What the sign-in lacks: both at once, so that nobody is sent to sign in twice. */
function needOf({ settings, writes }: Deps, { principal, administers }: Asking): AuthenticationNeed | undefined {
  if (principal.kind === 'local' || principal.kind === 'application') return undefined
  const { recentMs, administrators } = settings.signIn
  const { authTime, acr } = principal
  const isRecent = authTime !== undefined && writes.now() - authTime * 1000 <= recentMs
  const needsFactor = administrators === 'secondFactor' && administers && acr !== secondFactorClass
  if (isRecent && !needsFactor) return undefined
  return {
    ...(isRecent ? {} : { maxAgeSeconds: recentMs / 1000 }),
    ...(needsFactor ? { acrValues: secondFactorClass } : {}),
  }
}
