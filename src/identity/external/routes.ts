// Everything about other OpenID providers; without one configured there is nothing but the page of what was linked
// before.

import type { FastifyInstance } from 'fastify'
import type { IdentityDependencies } from '../dependencies.js'
import { registerContinue } from './continue-page.js'
import { registerLinkPage } from './link-page.js'
import { registerLinkedProviders } from './linked-providers.js'
import { createProviders } from './providers.js'
import { registerExternalSignIn } from './sign-in.js'

/** Registers them on a scope that has the guard per address. */
export function registerExternal(scope: FastifyInstance, deps: IdentityDependencies): void {
  const providers = createProviders(deps.settings.signIn.providers, deps.monotonic)
  registerContinue(scope, deps)
  registerExternalSignIn(scope, deps, providers)
  registerLinkedProviders(scope, deps, providers)
  registerLinkPage(scope, deps, providers)
}
