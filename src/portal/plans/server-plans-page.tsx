// All plans of the server with who uses them, for operators: before one is changed or taken out of the configuration.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { PlanAnswer } from '../../management/plans/plan-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { MoreLink, nextToken, pageAfter } from '../lists/next-page.js'
import { Table } from '../table.js'
import { planInboxPath } from './inbox-page.js'
import { chooserWords, limitWords, type Plan } from './plan-words.js'

/** Its address; an application of a plan is at the address below. */
export const serverPlansPath = '/portal/server/plans'

type Use = PlanAnswer<'planUse'>
type Applications = PlanAnswer<'planApplications'>

const longestName = 64

/** `GET /portal/server/plans?plan=…` */
export function registerServerPlans(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: serverPlansPath,
    routeId: 'portal-server-plans',
    get: getPage(deps, async (_request, reply, context) => {
      const use = await context.api<Use>('GET', '/planUse')
      const plan = context.query.get('plan')?.slice(0, longestName)
      const query = `${pageAfter(context.query.get('after'))}&${new URLSearchParams({ plan: plan ?? '' })}`
      const applications = plan ? await context.api<Applications>('GET', `/planUse/applications?${query}`) : undefined
      return sendFramed(reply, context, {
        title: 'Plans',
        activePath: serverPlansPath,
        intro: 'What applications may use. Plans stand in the configuration, and a reload changes them.',
        children: (
          <>
            {use.value.length === 0 ? <NoPlans /> : <Plans context={context} use={use} />}
            {plan && applications ? <On context={context} plan={plan} applications={applications} /> : null}
          </>
        ),
      })
    }),
  })
}

function Plans({ context, use: { value, unassigned } }: { context: PortalContext; use: Use }): VNode {
  return (
    <section class="card" aria-label="Plans">
      <Table
        id="plans"
        columns={[
          { text: 'Plan' },
          { text: 'Allows' },
          { text: 'Chosen by' },
          { text: 'Applications', number: true },
          { text: 'With own numbers', number: true },
        ]}
        rows={value.map(({ plan, default: isDefault, applications, overridden, definition }) => ({
          id: `plan-${plan}`,
          cells: [
            <>
              {plan} {isDefault ? <span class="tag good">Default</span> : null}
              {definition === null ? <span class="tag warn">Gone</span> : null}
              <span class="under">{definition === null ? 'the default plan counts instead' : definition.describe}</span>
            </>,
            definition === null ? '–' : <Allows key="allows" plan={definition} />,
            definition === null ? '–' : chooserWords(definition.chosenBy),
            applications === 0 ? (
              '0'
            ) : (
              <a key="who" href={context.link(`${serverPlansPath}?${new URLSearchParams({ plan })}`)}>
                {applications}
              </a>
            ),
            String(overridden),
          ],
        }))}
      />
      <p class="fine" id="unassigned">
        Applications that nobody put on a plan: {unassigned}. They have the default plan, where there is one.{' '}
        <a href={context.link(planInboxPath)}>Requests for plans</a>
      </p>
    </section>
  )
}

function Allows({ plan: { limits, concurrent } }: { plan: Plan }): VNode {
  return (
    <ul class="plain-list">
      {limits.map((limit) => (
        <li key={limit.name}>
          {limit.name}: {limitWords(limit)}
        </li>
      ))}
      {concurrent === null ? null : <li>{concurrent} requests under way at once</li>}
      {limits.length === 0 && concurrent === null ? <li>the limits of the routes</li> : null}
    </ul>
  )
}

function On({
  context,
  plan,
  applications: { value, nextLink },
}: {
  context: PortalContext
  plan: string
  applications: Applications
}): VNode {
  const next = nextToken(nextLink)
  return (
    <section class="card" aria-labelledby="on-title">
      <h2 id="on-title">On the plan {displayName(plan)}</h2>
      {value.length === 0 ? (
        <p>Nobody put an application on it.</p>
      ) : (
        <Table
          id="applications"
          columns={[{ text: 'Application' }, { text: 'Tenant' }, { text: 'Numbers' }]}
          rows={value.map(({ applicationId, name, tenantName, overridden }) => ({
            id: `application-${applicationId}`,
            cells: [
              <a key="name" href={context.link(`${serverPlansPath}/${applicationId}`)}>
                {displayName(name)}
              </a>,
              displayName(tenantName),
              overridden ? 'of its own' : 'of the plan',
            ],
          }))}
        />
      )}
      <MoreLink
        context={context}
        path={serverPlansPath}
        query={next === undefined ? undefined : { plan, after: next }}
        text="More applications"
      />
    </section>
  )
}

function NoPlans(): VNode {
  return (
    <EmptyState id="no-plans" title="There are no plans">
      <p>
        The limits of the routes count for all applications alike. Name plans under <code>plans</code> in the
        configuration to give single applications other numbers.
      </p>
    </EmptyState>
  )
}
