// The routes of the gate: what may be called, who may call it, where it goes, and which line of the configuration says
// so.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { RoutesAnswer } from '../../management/server/routes.js'
import { registerPage } from '../../web/page-routes.js'
import { getPage } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'

const path = '/portal/server/routes'
type Route = RoutesAnswer['value'][number]

const columns = [{ text: 'Route' }, { text: 'Needs' }, { text: 'Goes to' }, { text: 'Limits' }]

/** Registers it. */
export function registerRoutesPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-server-routes',
    get: getPage(deps, async (_request, reply, context) => {
      const { value } = await context.api<RoutesAnswer>('GET', '/routes')
      return sendFramed(reply, context, {
        title: 'Routes',
        activePath: path,
        intro: 'What can be called through this gateway. Everything else is refused.',
        children: value.length === 0 ? <NoRoutes /> : <Routes routes={value} />,
      })
    }),
  })
}

function Routes({ routes }: { routes: readonly Route[] }): VNode {
  const rows = routes.map((route, index) => ({
    id: `route-${index}`,
    cells: [
      <>
        <code>{route.id}</code>
        <span class="under">
          <code>{placeOf(route.position)}</code>
        </span>
      </>,
      <Needs key="needs" route={route} />,
      <>
        {route.upstream}
        {route.onStale === 'pass' ? <p class="fine">passes while revocations may have been missed</p> : null}
      </>,
      route.limits.join(', ') || 'none',
    ],
  }))
  return (
    <section class="card" aria-label="Routes">
      <Table id="routes" columns={columns} rows={rows} />
    </section>
  )
}

function Needs({ route }: { route: Route }): VNode {
  return (
    <ul class="plain-list">
      {route.methods.map(({ method, public: isPublic, anyOf }) => (
        <li key={method}>
          {route.methods.length === 1 ? null : `${method}: `}
          {isPublic ? 'nothing: it is public' : anyOf.map((list) => list.join(' and ')).join(', or ')}
        </li>
      ))}
    </ul>
  )
}

/** The file's name without its folders. */
function placeOf(position: string): string {
  return position.slice(position.lastIndexOf('/') + 1)
}

function NoRoutes(): VNode {
  return (
    <EmptyState id="no-routes" title="There are no routes">
      <p>
        The configuration names none, so everything is refused. Add one under <code>routes</code>, such as{' '}
        <code>GET /assets/**</code>, and say which permission it needs.
      </p>
    </EmptyState>
  )
}
