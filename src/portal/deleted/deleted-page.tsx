// /portal/deleted-applications: what was deleted and can be restored, by whom, and until when.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { DeletedApplications } from '../../management/deleted/deleted-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import { dateTime, span } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { MoreLink, nextToken, pageAfter } from '../lists/next-page.js'
import { Table } from '../table.js'

/** The list. */
export const deletedPath = '/portal/deleted-applications'
/** The entry of the navigation, and the way back. */
export const applicationsPath = '/portal/applications'

const texts = { purged: 'The application is deleted for good.' }
const columns = ['Application', 'Deleted', 'Can be restored until', ''].map((text) => ({ text }))

type Line = DeletedApplications['value'][number]

/** Registers it. */
export function registerDeletedList(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: deletedPath,
    routeId: 'portal-deleted-applications',
    get: getPage(deps, async (_request, reply, context) => {
      const query = pageAfter(context.query.get('after'))
      const { value, nextLink } = await context.api<DeletedApplications>('GET', `/deletedApplications?${query}`)
      const after = nextToken(nextLink)
      return sendFramed(reply, context, {
        title: 'Deleted applications',
        eyebrow: <a href={context.link(applicationsPath)}>Applications</a>,
        activePath: applicationsPath,
        intro:
          'None of them gets a token, and none of their tokens is good again. Restored, they may ask for new ones.',
        children: (
          <>
            <Done context={context} texts={texts} />
            <List context={context} lines={value} nowMs={deps.now()} />
            <MoreLink
              context={context}
              path={deletedPath}
              query={after === undefined ? undefined : { after }}
              text="More deleted applications"
            />
          </>
        ),
      })
    }),
  })
}

function List({ context, lines, nowMs }: { context: PortalContext; lines: readonly Line[]; nowMs: number }): VNode {
  if (lines.length === 0) {
    return (
      <EmptyState id="no-deleted" title="No deleted applications">
        <p>What is deleted stands here for as long as it can be restored.</p>
      </EmptyState>
    )
  }
  return (
    <section class="card" aria-label="Deleted applications">
      <Table id="deleted" columns={columns} rows={lines.map((line) => rowOf(context, line, nowMs))} />
    </section>
  )
}

function rowOf(context: PortalContext, line: Line, nowMs: number) {
  const { applicationId, name, deletedAt, deletedBy, deletedByName, restorableUntil } = line
  const path = `${deletedPath}/${applicationId}`
  const shown = displayName(name)
  const until = Date.parse(restorableUntil)
  return {
    id: `deleted-${applicationId}`,
    cells: [
      <>
        {shown}
        <code class="under">{applicationId}</code>
      </>,
      <>
        {dateTime(Date.parse(deletedAt))}
        <span class="under">{`by ${whoDeleted(deletedBy, deletedByName)}`}</span>
      </>,
      <>
        {dateTime(until)}
        <span class="under">{`${span(Math.max(0, until - nowMs))} left`}</span>
      </>,
      <Acts key="acts" context={context} line={line} path={path} shown={shown} />,
    ],
  }
}

/** What the person may do with it; what they may not, with the reason. */
function Acts({
  context,
  line: { mayDecide, restoreRefusal },
  path,
  shown,
}: {
  context: PortalContext
  line: Line
  path: string
  shown: string
}): VNode {
  return (
    <>
      <span class="row-acts">
        {restoreRefusal === null ? (
          <a href={context.link(`${path}/restore`)} aria-label={`Restore ${shown}`}>
            Restore
          </a>
        ) : null}{' '}
        {mayDecide ? (
          <a href={context.link(`${path}/purge`)} aria-label={`Delete ${shown} for good`}>
            Delete for good
          </a>
        ) : null}
      </span>
      {restoreRefusal === null ? null : <span class="under soft">{restoreRefusal.message}</span>}
    </>
  )
}

function whoDeleted(id: string, name: string): string {
  if (id === '') return 'an operator of this server'
  return name === '' ? 'somebody who is not of this tenant, or the application itself' : displayName(name, 60)
}
