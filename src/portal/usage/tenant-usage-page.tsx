// Usage of a tenant: what all of its applications called, and of those of others that are installed there.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'
import { ApplicationCell, ownApplications } from './application-cell.js'
import { ExportLinks, registerUsageExport } from './export.js'
import { NoCalls } from './no-calls.js'
import { callsOf, readUsage, refusedOf, type UsageLine } from './read-usage.js'
import { stretchOf } from './stretch.js'
import { UsageView } from './usage-view.js'
import { WhoCalls } from './who-calls.js'

const path = '/portal/usage'
const longestRoute = 1024

/** `GET /portal/usage?days=…|last=…&route=…&search=…`. */
export function registerTenantUsage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerUsageExport(scope, deps)
  registerPage(scope, deps, {
    path,
    routeId: 'portal-tenant-usage',
    get: getPage(deps, async (_request, reply, context) => {
      const stretch = stretchOf(context)
      const route = context.query.get('route')?.slice(0, longestRoute) || undefined
      const usage = await readUsage(context, { stretch, route, nowMs: deps.now() })
      const place = { context, path, stretch, route }
      const own = await ownApplications(deps, context, [...usage.applications, ...usage.pairs])
      const isEmpty = usage.applications.length === 0
      return sendFramed(reply, context, {
        title: 'Usage',
        activePath: path,
        intro: `What applications called in ${displayName(context.currentTenant.name, 60)}, all of them together. Each has its own on its page.`,
        children: (
          <>
            {isEmpty ? (
              <NoCalls
                context={context}
                whose="an application"
                next={{ path: '/portal/applications', text: 'Go to applications' }}
              />
            ) : null}
            <UsageView place={place} usage={usage} />
            {isEmpty ? null : (
              <ByApplication context={context} lines={usage.applications} own={own} query={stretch.query} />
            )}
            {isEmpty ? null : <WhoCalls place={place} pairs={usage.pairs} own={own} />}
            <ExportLinks context={context} nowMs={deps.now()} />
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

function ByApplication({
  context,
  lines,
  own,
  query,
}: {
  context: PortalContext
  lines: readonly UsageLine[]
  own: ReadonlySet<string>
  query: string
}): VNode {
  return (
    <section class="card" aria-labelledby="by-application-title">
      <h2 id="by-application-title">By application</h2>
      <Table
        id="by-application"
        columns={columns}
        rows={lines.map((line) => ({
          id: `by-application-${line.applicationId}`,
          cells: [
            <ApplicationCell key="name" context={context} line={line} own={own} query={query} />,
            ...[callsOf(line), refusedOf(line), line.errors.server].map((count) => number.format(count)),
          ],
        }))}
      />
    </section>
  )
}
