// Deleted applications: which there are, bringing one back, and deleting one for good.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerDeletedList } from './deleted-page.js'
import { registerPurge } from './purge-page.js'
import { registerRestore } from './restore-page.js'

/** Registers them. */
export function deletedPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerDeletedList(scope, deps)
  registerRestore(scope, deps)
  registerPurge(scope, deps)
}
