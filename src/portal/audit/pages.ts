// The pages about the audit of a tenant.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerAuditPages } from './audit-page.js'
import { registerAuditExport } from './export.js'

/** Registers them. */
export function auditPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerAuditPages(scope, deps)
  registerAuditExport(scope, deps)
}
