// Usage of a tenant: what all of its applications called, and of those of others that are installed there.

import type { FastifyInstance } from 'fastify'
import { registerPage } from '../../identity/browser/page-routes.js'
import { displayName } from '../../identity/pages/display-name.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { visited } from '../visit.js'
import { readUsage } from './read-usage.js'
import { stretches, UsageView } from './usage-view.js'

const path = '/portal/usage'

/** `GET /portal/usage?days=…`. */
export function registerTenantUsage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-tenant-usage',
    get: visited(deps, async (_request, reply, visit) => {
      const days = stretches.find((one) => String(one) === visit.query.get('days')) ?? 30
      const usage = await readUsage(visit, { days, nowMs: deps.now() })
      return sendFramed(reply, visit, {
        title: 'Usage',
        at: path,
        lead: `What applications called in ${displayName(visit.place.name, 60)}, all of them together. Each has its own on its page.`,
        children: <UsageView visit={visit} path={path} days={days} usage={usage} />,
      })
    }),
  })
}
