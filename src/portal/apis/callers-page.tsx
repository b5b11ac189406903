// Who still calls an API, or one operation of it: applications by route, with their calls of the last hour, day and
// thirty days. Read before something ends.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { Callers } from '../../management/api-catalogue/callers.js'
import type { CatalogueApi } from '../../management/api-catalogue/catalogue-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Notice } from '../../web/pages/elements.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'
import { apiOfPage } from './api-page.js'
import { apiPath, cataloguePath } from './paths.js'

const number = new Intl.NumberFormat('en-GB')

/** `GET /portal/apis/{apiId}/callers`. */
export function registerCallers(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/apis/:apiId/callers',
    routeId: 'portal-api-callers',
    get: getPage(deps, async (request, reply, context) => {
      const api = await apiOfPage(request, context)
      const operationId = context.query.get('operation') ?? ''
      const operation = api.operations.find((one) => one.operationId === operationId)
      const everywhere = context.person.user.isOperator && context.query.get('everywhere') === 'true'
      const query = new URLSearchParams({
        ...(operation === undefined ? {} : { operationId }),
        ...(everywhere ? { everywhere: 'true' } : {}),
      })
      const callers = await context.api<Callers>(
        'GET',
        `/apiCatalogue/${encodeURIComponent(api.apiId)}/callers?${query}`,
      )
      const name = displayName(api.name, 80)
      return sendFramed(reply, context, {
        title: 'Who still calls',
        tab: `Who still calls · ${name}`,
        activePath: cataloguePath,
        eyebrow: <a href={context.link(apiPath(api.apiId))}>{name}</a>,
        intro: operation === undefined ? 'All of its operations.' : `${operation.method} ${operation.path}`,
        children: (
          <>
            {context.person.user.isOperator ? <Where context={context} api={api} everywhere={everywhere} /> : null}
            {callers.complete ? null : (
              <Notice id="incomplete">
                <p>Not every instance could be read: the last hour and the last 24 hours are a part of it.</p>
              </Notice>
            )}
            {callers.value.length === 0 ? (
              <Nobody context={context} everywhere={everywhere} />
            ) : (
              <List callers={callers} />
            )}
          </>
        ),
      })
    }),
  })
}

function Where({
  context,
  api,
  everywhere,
}: {
  context: PortalContext
  api: CatalogueApi
  everywhere: boolean
}): VNode {
  const operation = context.query.get('operation')
  const at = (all: boolean) => {
    const query = new URLSearchParams({
      ...(operation === null ? {} : { operation }),
      ...(all ? { everywhere: 'true' } : {}),
    })
    return context.link(`${apiPath(api.apiId, '/callers')}?${query}`)
  }
  const here = { 'aria-current': 'page' as const }
  return (
    <nav aria-label="Whose calls">
      <ul class="pills">
        <li>
          <a href={at(false)} {...(everywhere ? {} : here)}>
            In {displayName(context.currentTenant.name, 60)}
          </a>
        </li>
        <li>
          <a id="everywhere" href={at(true)} {...(everywhere ? here : {})}>
            In all tenants
          </a>
        </li>
      </ul>
    </nav>
  )
}

function Nobody({ context, everywhere }: { context: PortalContext; everywhere: boolean }): VNode {
  return (
    <EmptyState id="nobody-calls" title="Nobody called it in 30 days">
      <p>
        {everywhere
          ? 'No application of any tenant did, as far as calls were counted.'
          : `No application did in ${displayName(context.currentTenant.name, 60)}. Calls in other tenants are not counted here.`}
      </p>
    </EmptyState>
  )
}

function List({ callers: { value } }: { callers: Callers }): VNode {
  return (
    <section class="card" aria-label="Who calls it">
      <Table
        id="callers"
        columns={[
          { text: 'Application' },
          { text: 'Route' },
          { text: 'Last hour', number: true },
          { text: '24 hours', number: true },
          { text: '30 days', number: true },
        ]}
        rows={value.map((line, index) => ({ id: `caller-${index}`, cells: cellsOf(line) }))}
      />
      <p class="fine">Calls that were refused are among them. Those of the last seconds are not counted yet.</p>
    </section>
  )
}

function cellsOf(line: Callers['value'][number]) {
  const { applicationId, name, homeTenant, route, lastHour, lastDay, lastThirtyDays } = line
  return [
    <>
      {name === null ? <code>{applicationId}</code> : displayName(name)}
      <span class="under">{homeTenant === null ? 'is gone' : `of ${displayName(homeTenant, 60)}`}</span>
    </>,
    <code key="route">{displayName(route, 200)}</code>,
    ...[lastHour, lastDay, lastThirtyDays].map((calls) => number.format(calls)),
  ]
}
