// The audit: what was done, from the ledger with the state of its chain, and what failed, from the activity log; of the
// current tenant, and of the whole server for operators. Newest first, a page at a time, both ways.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { ActivityEntries, AuditEvents, VerificationAnswer } from '../../management/audit/audit-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { nextToken } from '../lists/next-page.js'
import { ChainNotice } from './chain-notice.js'
import { EventTable } from './event-table.js'
import { mostExported } from './export.js'
import { type AuditFilter, addressOf, apiQuery, filterOf } from './filter.js'
import { FilterForm } from './filter-form.js'
import { type AuditListPage, auditLists, listTexts, type Noted } from './lists.js'
import { type EventNames, namesOf } from './names.js'

const pageSize = 50
/** A ledger of a million rows takes some seconds to verify. */
const patienceMs = 3_000
const fields = ['event', 'application', 'person', 'in', 'search', 'from', 'to']

interface Found {
  /** The newest first. */
  value: readonly Noted[]
  newer: string | undefined
  older: string | undefined
  names: EventNames
  events: readonly string[]
}

const nothing: Found = {
  value: [],
  newer: undefined,
  older: undefined,
  events: [],
  names: { people: new Map(), applications: new Map(), tenants: new Map() },
}

/** Registers all lists. */
export function registerAuditPages(scope: FastifyInstance, deps: PortalDependencies): void {
  for (const page of auditLists) {
    registerPage(scope, deps, {
      path: page.path,
      routeId: page.routeId,
      get: getPage(deps, async (_request, reply, context) => {
        const filter = filterOf(context)
        try {
          return show(reply, context, { page, filter, found: await read(deps, context, page, filter) })
        } catch (error) {
          return show(reply, context, { page, filter, found: nothing, refused: formProblem(error) })
        }
      }),
    })
  }
}

/** `after` leads to older rows, `before` to newer ones: those are read the other way round and shown like all others. */
async function read(
  deps: PortalDependencies,
  context: PortalContext,
  page: AuditListPage,
  filter: AuditFilter,
): Promise<Found> {
  const query = apiQuery(filter, page)
  query.set('$top', String(pageSize))
  const [after, before] = [context.query.get('after'), context.query.get('before')]
  const token = before ?? after
  if (token !== null) query.set('$skiptoken', token)
  if (before !== null) query.set('order', 'oldest')
  const answer = await context.api<AuditEvents | ActivityEntries>('GET', `${page.api}?${query}`)
  const { value, nextLink, previousLink, names } = answer
  const [on, back] = [nextToken(nextLink), nextToken(previousLink)]
  return {
    value: before === null ? value : [...value].reverse(),
    ...(before === null ? { older: on, newer: back } : { older: back, newer: on }),
    names: await namesOf(deps, context, page, names),
    events: names.events,
  }
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  shown: { page: AuditListPage; filter: AuditFilter; found: Found; refused?: { problem: Problem; status: number } },
): Promise<FastifyReply> {
  const { page, filter, found, refused } = shown
  const { list, scope } = page
  const verification = list === 'events' ? await soonVerified(context, `${page.api}/verification`) : undefined
  const text = listTexts[list]
  return sendFramed(reply, context, {
    title: scope === 'server' ? 'Audit of this server' : 'Audit',
    tab: `${text} · Audit`,
    activePath: scope === 'server' ? '/portal/server/audit' : '/portal/audit',
    intro:
      scope === 'server'
        ? 'What was done in every tenant and on the server itself, by whom, and what was tried.'
        : `What was done in ${displayName(context.currentTenant.name)} and by its people, and what was tried.`,
    status: refused?.status,
    children: (
      <>
        <Tabs context={context} at={page} />
        {verification === undefined ? null : <ChainNotice found={verification} scope={scope} />}
        <ProblemNotice problem={refused?.problem} fields={fields} />
        <section class="card" aria-label={text}>
          <FilterForm context={context} page={page} filter={filter} events={found.events} problem={refused?.problem} />
          {found.value.length === 0 ? (
            <Nothing filter={filter} found={found} isRefused={refused !== undefined} />
          ) : (
            <EventTable context={context} page={page} events={found.value} names={found.names} />
          )}
          <Onward context={context} page={page} filter={filter} found={found} />
        </section>
      </>
    ),
  })
}

/** What the verification found, unless it takes longer than somebody waits for a page. */
async function soonVerified(context: PortalContext, path: string): Promise<VerificationAnswer | 'running'> {
  const verified = context.api<VerificationAnswer>('GET', path)
  // When it fails after the page was sent, the next page says so.
  verified.catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'running'>((resolve) => {
    timer = setTimeout(() => resolve('running'), patienceMs)
  })
  try {
    return await Promise.race([verified, late])
  } finally {
    clearTimeout(timer)
  }
}

function Nothing({ filter, found, isRefused }: { filter: AuditFilter; found: Found; isRefused: boolean }): VNode {
  return (
    <p class="nothing" id="nothing-found">
      {isRefused
        ? 'Correct what is marked above.'
        : found.older !== undefined && filter.search !== ''
          ? 'Nothing among the 2,000 rows that were looked at. Go on with “Older”.'
          : addressOf(filter).size === 0
            ? 'Nothing is recorded yet.'
            : 'Nothing is recorded that fits.'}
    </p>
  )
}

function Tabs({ context, at }: { context: PortalContext; at: AuditListPage }): VNode {
  return (
    <nav aria-label="Audit">
      <ul class="tabs">
        {auditLists
          .filter(({ scope }) => scope === at.scope)
          .map(({ list, path }) => (
            <li key={list}>
              <a
                id={`tab-${list}`}
                href={context.link(path)}
                {...(list === at.list ? { 'aria-current': 'page' as const } : {})}
              >
                {listTexts[list]}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}

function Onward({
  context,
  page: { path, list, exportPath },
  filter,
  found: { newer, older },
}: {
  context: PortalContext
  page: AuditListPage
  filter: AuditFilter
  found: Found
}): VNode {
  const query = addressOf(filter)
  const link = (way: 'before' | 'after', token: string) =>
    context.link(`${path}?${new URLSearchParams([...query, [way, token]])}`)
  return (
    <div class="toolbar middle">
      <span class="ways">
        {newer === undefined ? null : (
          <a id="newer" href={link('before', newer)}>
            Newer
          </a>
        )}
        {older === undefined ? (
          <span class="fine">{list === 'attempts' ? 'Only the newest attempts are kept.' : 'That is the oldest.'}</span>
        ) : (
          <a id="older" href={link('after', older)}>
            Older
          </a>
        )}
      </span>
      {exportPath === undefined ? null : (
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
