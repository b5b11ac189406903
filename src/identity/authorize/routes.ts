// The addresses of the authorization endpoint, in both spellings (contract §1), and of what belongs to it.

import type { FastifyInstance } from 'fastify'
import { registerPage } from '../../web/page-routes.js'
import type { IdentityDependencies } from '../dependencies.js'
import { anyCasePath } from '../metadata/any-case.js'
import { answerAuthorize, answerPostedAuthorize, answerResume } from './authorize.js'
import { showTenants, takeTenant } from './choose-tenant.js'

/** The canonical path of the authorization endpoint. */
export const authorizePath = '/api/v2/oauth2/v2.0/authorize'

/** Registers them on a scope that has the guard per address. */
export function registerAuthorize(scope: FastifyInstance, deps: IdentityDependencies): void {
  for (const path of [authorizePath, anyCasePath(['api', 'v2', 'oauth', ['author', 'ize']])]) {
    registerPage(scope, deps, {
      path,
      routeId: 'authorize',
      beforeSecondFactor: true,
      get: (request, reply, browser) => answerAuthorize(deps, request, reply, browser),
      postFromElsewhere: (request, reply) => answerPostedAuthorize(deps, request, reply),
    })
  }
  registerPage(scope, deps, {
    path: `${authorizePath}/resume/:id`,
    routeId: 'authorize-resume',
    beforeSecondFactor: true,
    get: (request, reply, browser) => answerResume(deps, request, reply, browser),
  })
  registerPage(scope, deps, {
    path: '/choose-tenant',
    routeId: 'choose-tenant',
    get: (request, reply, browser) => showTenants(deps, request, reply, browser),
    post: (request, reply, browser) => takeTenant(deps, request, reply, browser),
  })
}
