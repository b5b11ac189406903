// Activity of an application: its last token requests and refused calls, with the reasons that their callers were not
// told.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { Decisions } from '../../management/server/explain-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { applicationOfPage, applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { nextToken } from '../lists/next-page.js'
import { DecisionTable } from './decision-table.js'
import { countTokensOut, TokensOut } from './tokens-out.js'

const filters = {
  all: { text: 'All', query: {} },
  tokens: { text: 'Token requests', query: { what: 'token' } },
  granted: { text: 'Granted', query: { outcome: 'granted' } },
  refused: { text: 'Refused', query: { outcome: 'refused' } },
} as const
type Filter = keyof typeof filters

const pageLength = 50

/** `GET /portal/applications/{id}/activity?show=…&request=…&after=…`. */
export function registerActivity(scope: FastifyInstance, deps: PortalDependencies): void {
  const { tokens, revocation } = deps.settings
  registerPage(scope, deps, {
    path: '/portal/applications/:id/activity',
    routeId: 'portal-activity',
    get: getPage(deps, async (request, reply, context) => {
      const application = await applicationOfPage(request, context)
      const { applicationId } = application
      const filter = filterOf(context)
      const { value, nextLink } = await read(context, applicationId, filter)
      const { lifetimeSeconds } = tokens
      const out = await countTokensOut(context, applicationId, { nowMs: deps.now(), lifetimeSeconds })
      const path = applicationPath(applicationId, 'activity')
      return sendApplicationPage(reply, context, {
        application,
        at: 'activity',
        children: (
          <>
            <section class="card" aria-labelledby="activity-title">
              <div class="toolbar middle">
                <h2 id="activity-title">Activity</h2>
                <Filters context={context} path={path} filter={filter.filter} />
              </div>
              <Search context={context} path={path} filter={filter} />
              {value.length === 0 ? (
                <Nothing context={context} filter={filter} applicationId={applicationId} />
              ) : (
                <DecisionTable context={context} decisions={value} provable={application.type === 'web'} />
              )}
              {nextLink === undefined ? null : (
                <p>
                  <a id="older" href={context.link(`${path}?${olderQuery(filter, nextLink)}`)}>
                    Older
                  </a>
                </p>
              )}
              <p class="fine">
                The last 200 requests are kept; calls that are allowed are counted under Usage instead. Paths, bodies
                and addresses are not written down.
              </p>
            </section>
            <TokensOut
              context={context}
              applicationId={applicationId}
              out={out}
              lifetimeSeconds={lifetimeSeconds}
              staleAfterMs={revocation.staleAfterMs}
            />
          </>
        ),
      })
    }),
  })
}

interface ActivityFilter {
  filter: Filter
  requestId: string
  /** Of the page before. */
  after: string | null
}

function filterOf({ query }: PortalContext): ActivityFilter {
  const show = query.get('show') ?? ''
  return {
    filter: Object.hasOwn(filters, show) ? (show as Filter) : 'all',
    requestId: (query.get('request') ?? '').trim().slice(0, 100),
    after: query.get('after'),
  }
}

function read(
  context: PortalContext,
  applicationId: string,
  { filter, requestId, after }: ActivityFilter,
): Promise<Decisions> {
  const query = new URLSearchParams({
    $top: String(pageLength),
    ...filters[filter].query,
    ...(requestId === '' ? {} : { requestId }),
    ...(after === null ? {} : { $skiptoken: after }),
  })
  return context.api<Decisions>('GET', `/applications/${applicationId}/activity?${query}`)
}

function olderQuery({ filter }: ActivityFilter, nextLink: string): URLSearchParams {
  return new URLSearchParams({ show: filter, after: nextToken(nextLink) ?? '' })
}

function Filters({ context, path, filter }: { context: PortalContext; path: string; filter: Filter }): VNode {
  return (
    <nav aria-label="Show">
      <ul class="pills">
        {(Object.keys(filters) as Filter[]).map((one) => (
          <li key={one}>
            <a
              id={`show-${one}`}
              href={context.link(`${path}?show=${one}`)}
              {...(one === filter ? { 'aria-current': 'page' as const } : {})}
            >
              {filters[one].text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Search({ context, path, filter }: { context: PortalContext; path: string; filter: ActivityFilter }): VNode {
  const tenant = new URLSearchParams(context.link('?').slice(1)).get('tenant')
  return (
    <form class="inline" method="get" action={path} id="request-form" aria-label="Find a request">
      {tenant === null ? null : <input type="hidden" name="tenant" value={tenant} />}
      <Field
        id="request"
        label="Find by request-id"
        type="search"
        value={filter.requestId}
        required={false}
        hint="It stands in every answer, also in those that refuse."
        maxLength={100}
      />
      <Button id="find" kind="plain">
        Find
      </Button>
    </form>
  )
}

function Nothing({
  context,
  filter,
  applicationId,
}: {
  context: PortalContext
  filter: ActivityFilter
  applicationId: string
}): VNode {
  if (filter.filter !== 'all' || filter.requestId !== '' || filter.after !== null) {
    return (
      <p class="nothing" id="nothing-found">
        Nothing is recorded that fits. A request of another application is on that one’s page; one that was allowed is
        not recorded.
      </p>
    )
  }
  return (
    <EmptyState
      id="no-activity"
      title="Nothing yet"
      action={
        <a class="button" href={context.link(applicationPath(applicationId, 'try-it'))}>
          Try it
        </a>
      }
    >
      <p>Its token requests will be here, and the calls that are refused, each with the reason.</p>
    </EmptyState>
  )
}
