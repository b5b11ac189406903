// The routes of the gate: what may be called, who may call it, where it goes, and which line of the configuration says
// so.

import type { FastifyInstance } from 'fastify'
import { Fragment, type VNode } from 'preact'
import type { RoutesAnswer } from '../../management/server/routes.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import { span } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { readSearch, SearchForm } from '../lists/search.js'
import { Table } from '../table.js'

const path = '/portal/server/routes'
type Route = RoutesAnswer['value'][number]

const number = new Intl.NumberFormat('en-GB')
const list = new Intl.ListFormat('en-GB')

const columns = [
  { text: 'Route' },
  { text: 'Needs' },
  { text: 'Goes to' },
  { text: 'Limits' },
  { text: 'Requests in 24 hours', number: true },
  { text: 'Errors', number: true },
] as const

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
        children: value.length === 0 ? <NoRoutes /> : <Routes context={context} routes={value} />,
      })
    }),
  })
}

function Routes({ context, routes }: { context: PortalContext; routes: readonly Route[] }): VNode {
  const { search } = readSearch(context)
  const found = routes.filter((route) => fits(route, search))
  return (
    <>
      <SearchForm context={context} path={path} label="Path, permission, service or limit" search={search} />
      <section class="card" aria-label="Routes">
        {found.length === 0 ? (
          <p id="nothing-found">
            No route has “{displayName(search)}” in it. <a href={context.link(path)}>Show all</a>
          </p>
        ) : (
          <Table id="routes" columns={columns} rows={found.map(rowOf)} />
        )}
      </section>
    </>
  )
}

function rowOf(route: Route, index: number) {
  const { id, position, upstream, onStale, lastDay } = route
  return {
    id: `route-${index}`,
    cells: [
      <>
        <code>
          {id.split(/(?<=\/)/).map((part, at) => (
            <Fragment key={at}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </code>
        <span class="under">
          <code>{placeOf(position)}</code>
        </span>
      </>,
      <Needs key="needs" route={route} />,
      <>
        {upstream}
        {onStale === 'pass' ? <p class="fine">passes while revocations may have been missed</p> : null}
      </>,
      <Limits key="limits" route={route} />,
      number.format(lastDay.requests),
      number.format(lastDay.serverErrors),
    ],
  }
}

function Limits({ route: { limits, limitValues } }: { route: Route }): VNode {
  if (limits.length === 0) return <>none</>
  return (
    <ul class="plain-list limits">
      {limits.map((name) => {
        const value = limitValues.find((one) => one.name === name)
        return (
          <li key={name}>
            {name}
            {value === undefined ? null : <span class="under">{limitText(value)}</span>}
          </li>
        )
      })}
    </ul>
  )
}

function limitText({ by, limit, periodSeconds }: Route['limitValues'][number]): string {
  const period = periodSeconds < 60 ? `${periodSeconds} s` : span(periodSeconds * 1000)
  return `${number.format(limit)} in ${period}, by ${list.format(by)}`
}

function fits({ id, upstream, limits, methods, position }: Route, search: string): boolean {
  const wanted = search.toLowerCase()
  const texts = [id, upstream, placeOf(position), ...limits, ...methods.flatMap(({ anyOf }) => anyOf.flat())]
  return texts.some((text) => text.toLowerCase().includes(wanted))
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
