// The pages about applications as such: the list, registering one, what it is called, its keys and redirect URIs, its
// end.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerCredentials } from './credentials/credentials.js'
import { registerEndSecret } from './credentials/end-secret.js'
import { registerFederation } from './credentials/federation-page.js'
import { registerProof } from './credentials/proof-page.js'
import { registerRemoval } from './credentials/removal-pages.js'
import { registerApplicationList } from './list.js'
import { registerNewApplication } from './new.js'
import { registerOverview } from './overview.js'
import { registerOwners } from './owners-page.js'
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
  registerRemoval(scope, deps)
}
