// The pages about plans.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerPlanInbox } from './inbox-page.js'
import { registerPlanPage } from './plan-page.js'
import { registerServerPlan } from './server-plan-page.js'
import { registerServerPlans } from './server-plans-page.js'

/** Registers them. */
export function planPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPlanPage(scope, deps)
  registerPlanInbox(scope, deps)
  registerServerPlans(scope, deps)
  registerServerPlan(scope, deps)
}
