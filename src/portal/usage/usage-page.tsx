// Usage of an application: its calls by day and route, and which of its permissions it needs for them.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import { registerPage } from '../../web/page-routes.js'
import { applicationOfPage, applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage } from '../context.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { PermissionId } from '../permissions/permission-id.js'
import { Table } from '../table.js'
import { NoCalls } from './no-calls.js'
import { type PermissionUse, readPermissionUse } from './permission-use.js'
import { callsOf, readUsage } from './read-usage.js'
import { stretchOf } from './stretch.js'
import { UsageView } from './usage-view.js'

const longestRoute = 1024

/** `GET /portal/applications/{id}/usage?days=…|last=…&route=…`. */
export function registerUsage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/usage',
    routeId: 'portal-usage',
    get: getPage(deps, async (request, reply, context) => {
      const application = await applicationOfPage(request, context)
      const { applicationId } = application
      const stretch = stretchOf(context)
      const route = context.query.get('route')?.slice(0, longestRoute) || undefined
      const usage = await readUsage(context, { applicationId, stretch, route, nowMs: deps.now() })
      const { value: uses, countedSince } = await readPermissionUse(context, applicationId)
      const nothing = usage.times.every((line) => callsOf(line) === 0)
      const path = applicationPath(applicationId, 'usage')
      return sendApplicationPage(reply, context, {
        application,
        at: 'usage',
        children: (
          <>
            {nothing ? (
              <NoCalls
                context={context}
                whose="the application"
                next={{ path: applicationPath(applicationId, 'try-it'), text: 'Try it' }}
              />
            ) : null}
            <UsageView place={{ context, path, stretch, route }} usage={usage} />
            {uses.length === 0 ? null : (
              <section class="card" aria-labelledby="uses-title">
                <div class="toolbar middle">
                  <h2 id="uses-title">Permissions in use</h2>
                  <a href={context.link(applicationPath(applicationId, 'permissions'))}>API permissions</a>
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
