// /portal: what waits, and how it went in the last hour or day, by what the person is there for.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import { isAtLeast } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { StretchSwitch } from '../charts/stretch-switch.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { granterNames } from '../permissions/granters.js'
import { ownApplications } from '../usage/application-cell.js'
import { recentStretchOf, stretches } from '../usage/stretch.js'
import { CallsSection, OwnApplications } from './calls-section.js'
import { type Operation, type OverviewOfPerson, readOverview } from './read-overview.js'
import { InstancesSection, RoutesSection, TrafficSection } from './server-section.js'
import { operatorWaiting } from './server-waiting.js'
import { SignInsSection } from './sign-ins-section.js'
import { administratorWaiting, developerWaiting } from './tenant-waiting.js'
import { type Waiting, WaitingList } from './waiting.js'

const path = '/portal'

/** `GET /portal?last=1h|24h`; members, who look after nothing, go to their tenant. */
export function registerOverview(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal',
    get: getPage(deps, async (_request, reply, context) => {
      const { currentTenant } = context
      if (!isAtLeast(currentTenant.role, 'developer')) return reply.redirect(context.link('/portal/tenant'), 303)
      const nowMs = deps.now()
      const stretch = recentStretchOf(context)
      const found = await readOverview(context, stretch, nowMs)
      const place = { context, stretch, own: await ownApplications(deps, context, found.usage.pairs) }
      const failed = found.administration?.signIns.people.flatMap(({ userId }) => userId ?? []) ?? []
      const names = await granterNames(context, failed, 'a former member')
      return sendFramed(reply, context, {
        title: 'Overview',
        tab: 'Overview',
        activePath: path,
        intro: `${displayName(currentTenant.name)} ${stretch.words}.`,
        children: (
          <>
            <StretchSwitch context={context} path={path} stretches={stretches.slice(0, 2)} at={stretch} />
            {isEmpty(found) ? <Begin context={context} /> : null}
            <WaitingList entries={waitingOf(place, found, nowMs)} />
            {isEmpty(found) ? null : (
              <>
                <CallsSection place={place} usage={found.usage} />
                <OwnApplications place={place} applications={found.applications} usage={found.usage} />
              </>
            )}
            {found.administration === undefined ? null : (
              <SignInsSection
                context={context}
                stretch={stretch}
                signIns={found.administration.signIns}
                names={names}
              />
            )}
            {found.operation === undefined ? null : <Server place={place} operation={found.operation} />}
          </>
        ),
      })
    }),
  })
}

interface Place {
  context: PortalContext
  stretch: ReturnType<typeof recentStretchOf>
}

function Server({ place: { context, stretch }, operation }: { place: Place; operation: Operation }): VNode {
  return (
    <>
      <div class="area">
        <h2 id="server-title">This server</h2>
      </div>
      <TrafficSection server={operation.server} stretch={stretch} />
      <RoutesSection context={context} server={operation.server} />
      <InstancesSection context={context} operation={operation} />
    </>
  )
}

/** What stops calls of everybody first, then what has an end, then what is good to know. */
function waitingOf({ context, stretch }: Place, found: OverviewOfPerson, nowMs: number): Waiting[] {
  const { administration, operation } = found
  const { words } = stretch
  return [
    ...(operation === undefined ? [] : operatorWaiting(context, operation, { words, nowMs })),
    ...developerWaiting(context, found),
    ...(administration === undefined ? [] : administratorWaiting(context, administration, words)),
  ]
}

/** Nothing is registered, and nothing of others called. */
function isEmpty({ applications, usage }: OverviewOfPerson): boolean {
  return applications.enabled + applications.disabled === 0 && usage.pairs.length === 0
}

function Begin({ context }: { context: PortalContext }): VNode {
  return (
    <EmptyState
      id="no-applications"
      title="Register your first application"
      action={
        <a class="button" id="register" href={context.link('/portal/applications/new')}>
          Register an application
        </a>
      }
    >
      <p>
        An application gets an identifier here, and proves by it who it is whenever it asks for a token. What it calls,
        and what is refused, is shown here from then on.
      </p>
    </EmptyState>
  )
}
