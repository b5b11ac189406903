// Usage of a tenant: what all of its applications called, and of those of others that are installed there.

import type { FastifyInstance } from 'fastify'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'
import { NoCalls } from './no-calls.js'
import { callsOf, readUsage, refusedOf, type UsageLine } from './read-usage.js'
import { stretches, UsageView } from './usage-view.js'

const path = '/portal/usage'

/** `GET /portal/usage?days=…`. */
export function registerTenantUsage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-tenant-usage',
    get: getPage(deps, async (_request, reply, context) => {
      const days = stretches.find((one) => String(one) === context.query.get('days')) ?? 30
      const usage = await readUsage(context, { days, nowMs: deps.now() })
      return sendFramed(reply, context, {
        title: 'Usage',
        activePath: path,
        intro: `What applications called in ${displayName(context.currentTenant.name, 60)}, all of them together. Each has its own on its page.`,
        children: (
          <>
            {usage.applications.length === 0 ? (
              <NoCalls
                context={context}
                whose="an application"
                next={{ path: '/portal/applications', text: 'Go to applications' }}
              />
            ) : null}
            <UsageView context={context} path={path} days={days} usage={usage} />
            {usage.applications.length === 0 ? null : (
              <section class="card" aria-labelledby="by-application-title">
                <h2 id="by-application-title">By application</h2>
                <Table
                  id="by-application"
                  columns={columns}
                  rows={await Promise.all(usage.applications.map((line) => rowOf(deps, context, { line, days })))}
                />
              </section>
            )}
          </>
        ),
      })
    }),
  })
}

const number = new Intl.NumberFormat('en-GB')
const columns = [
  { text: 'Application' },
  { text: 'Calls', number: true as const },
  { text: 'Refused', number: true as const },
  { text: 'Errors of services', number: true as const },
]

async function rowOf(
  deps: PortalDependencies,
  context: PortalContext,
  { line, days }: { line: UsageLine; days: number },
) {
  const registration = await deps.directory.findRegistration(line.key)
  const name = registration === undefined ? 'An application that is gone' : displayName(registration.name)
  const address = context.link(`${applicationPath(line.key, 'usage')}?days=${days}`)
  return {
    id: `by-application-${line.key}`,
    cells: [
      registration?.tenantId === context.currentTenant.tenantId ? (
        <a href={address}>{name}</a>
      ) : (
        <>
          {name}
          {registration === undefined ? null : <span class="under">of another tenant</span>}
        </>
      ),
      ...[callsOf(line), refusedOf(line), line.errors.server].map((count) => number.format(count)),
    ],
  }
}
