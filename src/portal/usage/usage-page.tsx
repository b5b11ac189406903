// Usage of an application: its calls by day and route, and which of its permissions it needs for them.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import { registerPage } from '../../web/page-routes.js'
import { applicationPath, readApplication, sendApplicationPage } from '../application-page.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { PermissionId } from '../permissions/permission-id.js'
import { Table } from '../table.js'
import { type Visit, visited } from '../visit.js'
import { type PermissionUse, readPermissionUse } from './permission-use.js'
import { callsOf, readUsage } from './read-usage.js'
import { stretches, UsageView } from './usage-view.js'

/** `GET /portal/applications/{id}/usage?days=…`. */
export function registerUsage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/usage',
    routeId: 'portal-usage',
    get: visited(deps, async (request, reply, visit) => {
      const application = await readApplication(visit, (request.params as { id: string }).id)
      const { applicationId } = application
      const days = stretches.find((one) => String(one) === visit.query.get('days')) ?? 30
      const usage = await readUsage(visit, { applicationId, days, nowMs: deps.now() })
      const { value: uses, countedSince } = await readPermissionUse(visit, applicationId)
      const nothing = usage.days.every((line) => callsOf(line) === 0)
      const path = applicationPath(applicationId, 'usage')
      return sendApplicationPage(reply, visit, {
        application,
        at: 'usage',
        children: (
          <>
            {nothing ? <Nothing visit={visit} tryIt={applicationPath(applicationId, 'try-it')} /> : null}
            <UsageView visit={visit} path={path} days={days} usage={usage} />
            {uses.length === 0 ? null : (
              <section class="card" aria-labelledby="uses-title">
                <div class="toolbar middle">
                  <h2 id="uses-title">Permissions in use</h2>
                  <a href={visit.link(applicationPath(applicationId, 'permissions'))}>API permissions</a>
                </div>
                <Uses uses={uses} />
              </section>
            )}
            <p class="fine">
              Counted since {date(Date.parse(countedSince))}, a few seconds behind. Counts are of the application; no
              person is in them.
            </p>
          </>
        ),
      })
    }),
  })
}

function Nothing({ visit, tryIt }: { visit: Visit; tryIt: string }): VNode {
  return (
    <EmptyState
      id="no-usage"
      title="No calls in these days"
      action={
        <a class="button" href={visit.link(tryIt)}>
          Try it
        </a>
      }
    >
      <p>As soon as the application calls an API through this gateway, its calls are counted here.</p>
    </EmptyState>
  )
}

function Uses({ uses }: { uses: readonly PermissionUse[] }): VNode {
  return (
    <Table
      id="uses"
      columns={[
        { text: 'Permission' },
        { text: 'Type' },
        { text: 'Uses in 30 days', number: true },
        { text: 'in 90 days', number: true },
        { text: 'First used' },
        { text: 'Last used' },
      ]}
      rows={uses.map((use, index) => ({
        id: `use-${index}`,
        cells: [
          <PermissionId key="id" id={use.id} />,
          use.kind === 'application' ? 'Application' : 'Delegated',
          use.measured ? String(use.usesIn30Days) : '–',
          use.measured ? String(use.usesIn90Days) : '–',
          time(use, use.firstUsedAt),
          time(use, use.lastUsedAt),
        ],
      }))}
    />
  )
}

function time({ measured }: PermissionUse, at: string | null): string {
  if (!measured) return 'Not seen here'
  return at === null ? 'Never' : date(Date.parse(at))
}
