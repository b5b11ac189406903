// Asks for a recent sign-in before an act with weight, and administrators for a second factor where the settings say
// so. A browser that was left alone, or a token that somebody copied, is then worth minutes and not days. An
// application as itself is no person, and the local socket is its own proof: neither is checked.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principal.js'
import { type AuthenticationNeed, insufficientAuthentication } from '../../gateway/bearer-errors.js'
import { requestContext } from '../../http/requests/request-context.js'
import { secondFactorClass } from '../../oauth/authentication-class.js'
import type { ManagementDependencies } from '../dependencies.js'
import { hasWeight } from './weight.js'

type Deps = Pick<ManagementDependencies, 'directory' | 'settings' | 'writes'>

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
      await checkSignIn(deps, request, askingOf(request))
    }
  })
}

/**
 * Throws ApiError 401 (RFC 9470 §3) for a person whose sign-in is not good enough, or of whom it is not known how they
 * signed in.
 */
async function checkSignIn(deps: Deps, request: FastifyRequest, asking: Asking): Promise<void> {
  const { settings } = deps
  const need = await needOf(deps, asking)
  if (need === undefined) return
  requestContext(request).entry.reason = need.acrValues === undefined ? 'old_sign_in' : 'no_second_factor'
  throw insufficientAuthentication(need, settings.catalogue.own.id, settings.server.baseUrl).error
}

/** What the sign-in lacks: both at once, so that nobody is sent to sign in twice. */
async function needOf(deps: Deps, { principal, administers }: Asking): Promise<AuthenticationNeed | undefined> {
  if (principal.kind === 'local' || principal.kind === 'application') return undefined
  const { settings, writes } = deps
  const { recentMs } = settings.signIn
  const { authTime, acr, tenantId } = principal
  const isRecent = authTime !== undefined && writes.now() - authTime * 1000 <= recentMs
  const needsFactor = administers && acr !== secondFactorClass && (await wantsFactor(deps, tenantId))
  if (isRecent && !needsFactor) return undefined
  return {
    ...(isRecent ? {} : { maxAgeSeconds: recentMs / 1000 }),
    ...(needsFactor ? { acrValues: secondFactorClass } : {}),
  }
}

/** The server asks it everywhere, or their tenant of its own; a tenant that is gone asks as the strictest would. */
async function wantsFactor({ directory, settings }: Deps, tenantId: string): Promise<boolean> {
  if (settings.signIn.administrators === 'secondFactor') return true
  return (await directory.findTenant(tenantId))?.administrators !== 'any'
}
