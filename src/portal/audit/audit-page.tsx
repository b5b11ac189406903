// The audit of the tenant: what was done, from the ledger with the state of its chain, and what failed, from the
// activity log. Newest first, a page at a time.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { ActivityEntries, AuditEvents, VerificationAnswer } from '../../management/audit/audit-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Notice } from '../../web/pages/elements.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { nextToken } from '../lists/next-page.js'
import { EventTable } from './event-table.js'
import { exportPath, mostExported } from './export.js'
import { type AuditFilter, addressOf, apiQuery, filterOf } from './filter.js'
import { FilterForm } from './filter-form.js'
import { type Names, namesOf } from './names.js'

const pageSize = 50
const fields = ['event', 'application', 'person', 'from', 'to']

const lists = {
  events: { path: '/portal/audit', text: 'Events', api: '/auditEvents', example: 'secret.created' },
  attempts: {
    path: '/portal/audit/attempts',
    text: 'Attempts',
    api: '/activity',
    example: 'user.sign-in-failed',
  },
} as const
type List = keyof typeof lists

interface Found {
  value: AuditEvents['value'] | ActivityEntries['value']
  next: string | undefined
  names: Names
}

const nothing: Found = { value: [], next: undefined, names: { people: new Map(), applications: new Map() } }

/** Registers both lists. */
export function registerAuditPages(scope: FastifyInstance, deps: PortalDependencies): void {
  for (const [list, { path }] of Object.entries(lists) as [List, (typeof lists)[List]][]) {
    registerPage(scope, deps, {
      path,
      routeId: list === 'events' ? 'portal-audit' : 'portal-audit-attempts',
      get: getPage(deps, async (_request, reply, context) => {
        const filter = filterOf(context)
        try {
          return show(reply, context, { list, filter, found: await read(deps, context, list, filter) })
        } catch (error) {
          return show(reply, context, { list, filter, found: nothing, refused: formProblem(error) })
        }
      }),
    })
  }
}

async function read(deps: PortalDependencies, context: PortalContext, list: List, filter: AuditFilter): Promise<Found> {
  const query = await apiQuery(context, filter)
  query.set('$top', String(pageSize))
  const after = context.query.get('after')
  if (after !== null) query.set('$skiptoken', after)
  const { value, nextLink } = await context.api<AuditEvents | ActivityEntries>('GET', `${lists[list].api}?${query}`)
  return { value, next: nextToken(nextLink), names: await namesOf(deps, context, value) }
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  shown: { list: List; filter: AuditFilter; found: Found; refused?: { problem: Problem; status: number } },
): Promise<FastifyReply> {
  const { list, filter, found, refused } = shown
  const verification =
    list === 'events' ? await context.api<VerificationAnswer>('GET', '/auditEvents/verification') : undefined
  const { path, example } = lists[list]
  return sendFramed(reply, context, {
    title: 'Audit',
    tab: `${lists[list].text} · Audit`,
    activePath: lists.events.path,
    intro: `What was done in ${displayName(context.currentTenant.name)}, by whom, and what was tried.`,
    status: refused?.status,
    children: (
      <>
        <Tabs context={context} at={list} />
        {verification === undefined ? null : <Chain found={verification} />}
        <ProblemNotice problem={refused?.problem} fields={fields} />
        <section class="card" aria-label={lists[list].text}>
          <FilterForm context={context} path={path} filter={filter} example={example} problem={refused?.problem} />
          {found.value.length === 0 ? (
            <p class="nothing" id="nothing-found">
              {refused !== undefined
                ? 'Correct what is marked above.'
                : addressOf(filter).size === 0
                  ? 'Nothing is recorded yet.'
                  : 'Nothing is recorded that fits.'}
            </p>
          ) : (
            <EventTable id={list} context={context} events={found.value} names={found.names} />
          )}
          <Onward context={context} list={list} filter={filter} next={found.next} />
        </section>
      </>
    ),
  })
}

function Tabs({ context, at }: { context: PortalContext; at: List }): VNode {
  return (
    <nav aria-label="Audit">
      <ul class="tabs">
        {(Object.keys(lists) as List[]).map((list) => (
          <li key={list}>
            <a
              id={`tab-${list}`}
              href={context.link(lists[list].path)}
              {...(list === at ? { 'aria-current': 'page' as const } : {})}
            >
              {lists[list].text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Chain({ found: { clean, count } }: { found: VerificationAnswer }): VNode {
  const events = `${new Intl.NumberFormat('en-GB').format(count)} ${count === 1 ? 'event' : 'events'}`
  return clean ? (
    <Notice id="chain" kind="success" title="The audit log is intact">
      <p>All {events} of this server follow from one another: none was changed, taken out or put in.</p>
    </Notice>
  ) : (
    <Notice id="chain" kind="error" title="The audit log has been tampered with">
      <p>
        Among {events} of this server some were changed, taken out or put in. The operator sees where with{' '}
        <code>portcullis audit verify</code>.
      </p>
    </Notice>
  )
}

function Onward({
  context,
  list,
  filter,
  next,
}: {
  context: PortalContext
  list: List
  filter: AuditFilter
  next: string | undefined
}): VNode {
  const query = addressOf(filter)
  const older = new URLSearchParams(query)
  if (next !== undefined) older.set('after', next)
  return (
    <div class="toolbar middle">
      {next === undefined ? (
        <span class="fine">{list === 'attempts' ? 'Only the newest attempts are kept.' : 'That is the oldest.'}</span>
      ) : (
        <a id="older" href={context.link(`${lists[list].path}?${older}`)}>
          Older
        </a>
      )}
      {list === 'attempts' ? null : (
        <a
          id="export"
          class="button plain small"
          href={context.link(query.size === 0 ? exportPath : `${exportPath}?${query}`)}
          title={`At most ${mostExported} events, the newest first`}
        >
          Download as JSON lines
        </a>
      )}
    </div>
  )
}
