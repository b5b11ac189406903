// The pages about applications as such: the list, registering one, what it is called, its keys and redirect URIs, its end.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerCredentials } from './credentials.js'
import { registerEndSecret } from './end-secret.js'
import { registerEnding } from './ending.js'
import { registerFederation } from './federation-page.js'
import { registerApplicationList } from './list.js'
import { registerNewApplication } from './new.js'
import { registerOverview } from './overview.js'
import { registerOwners } from './owners-page.js'
import { registerProof } from './proof-page.js'
import { registerRedirectUris } from './redirect-uris.js'

/** Registers them. */
export function applicationPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerApplicationList(scope, deps)
  registerNewApplication(scope, deps)
  registerOverview(scope, deps)
  registerOwners(scope, deps)
  registerCredentials(scope, deps)
  registerEndSecret(scope, deps)
  registerProof(scope, deps)
  registerFederation(scope, deps)
  registerRedirectUris(scope, deps)
  registerEnding(scope, deps)
}
