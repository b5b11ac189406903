// /portal/applications: the applications of the tenant, by name; with none yet, the three kinds to begin with.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { Answer } from '../../management/schemas.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath, readApplication } from '../application-page.js'
import { getPage, type PortalContext } from '../context.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { MoreLink, nextToken } from '../lists/next-page.js'
import { readSearch, type Search, SearchForm, searchQuery } from '../lists/search.js'
import { NewOriginsNotice } from '../redirect-origins/notice.js'
import { readNewOrigins } from '../redirect-origins/read-new-origins.js'
import { Table } from '../table.js'
import { KindCards } from './kind-cards.js'

const path = '/portal/applications'

const texts = { deleted: 'The application is deleted, and its tokens are refused.' }

type Summary = Answer<'applications'>['value'][number]
interface Found {
  applications: readonly Summary[]
  /** The token of the next page. */
  next: string | undefined
}

/** Registers it. */
export function registerApplicationList(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-applications',
    get: getPage(deps, async (_request, reply, context) => {
      const query = readSearch(context)
      const { search, after } = query
      const identifier = parseClientIdentifier(search)
      const found = identifier === undefined ? await pageOf(context, query) : await identified(context, identifier)
      const isEmpty = search === '' && after === null && found.applications.length === 0
      const newOrigins = await readNewOrigins(context)
      return sendFramed(reply, context, {
        title: 'Applications',
        activePath: path,
        intro: `What is registered in ${displayName(context.currentTenant.name)}.`,
        children: (
          <>
            <Done context={context} texts={texts} />
            <NewOriginsNotice context={context} origins={newOrigins} />
            {isEmpty ? <Begin context={context} /> : <List context={context} found={found} search={search} />}
          </>
        ),
      })
    }),
  })
}

async function pageOf(context: PortalContext, wanted: Search): Promise<Found> {
  const query = searchQuery(wanted)
  const { value, nextLink } = await context.api<Answer<'applications'>>('GET', `/applications?${query}`)
  return { applications: value, next: nextToken(nextLink) }
}

/** The one that has the identifier, when it is of this tenant. */
async function identified(context: PortalContext, identifier: string): Promise<Found> {
  try {
    return { applications: [await readApplication(context, identifier)], next: undefined }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { applications: [], next: undefined }
    throw error
  }
}

function Begin({ context }: { context: PortalContext }): VNode {
  return (
    <>
      <EmptyState
        id="no-applications"
        title="Register your first application"
        action={
          <a class="button" id="register" href={context.link(`${path}/new`)}>
            Register an application
          </a>
        }
      >
        <p>
          An application gets an identifier here, and proves by it who it is whenever it asks for a token. You choose
          what it may do, and see what it did.
        </p>
      </EmptyState>
      <h2>What are you building?</h2>
      <KindCards context={context} />
    </>
  )
}

function List({ context, found, search }: { context: PortalContext; found: Found; search: string }): VNode {
  const { applications, next } = found
  return (
    <>
      <div class="toolbar">
        <SearchForm context={context} path={path} label="Name or identifier" search={search} />
        <a class="button" id="register" href={context.link(`${path}/new`)}>
          Register an application
        </a>
      </div>
      <div class="card">
        {applications.length === 0 ? (
          <p id="nothing-found">
            {search === '' ? 'There are no more.' : `No application is called “${displayName(search)}”.`}{' '}
            <a href={context.link(path)}>Show all</a>
          </p>
        ) : (
          <Table
            id="applications"
            columns={[{ text: 'Name' }, { text: 'Type' }, { text: 'Application ID' }, { text: 'Registered' }]}
            rows={applications.map((each) => rowOf(context, each))}
          />
        )}
      </div>
      <MoreLink
        context={context}
        path={path}
        query={next === undefined ? undefined : { search, after: next }}
        text="More applications"
      />
    </>
  )
}

function rowOf(context: PortalContext, { applicationId, name, type, state, createdAt }: Summary) {
  return {
    id: `application-${applicationId}`,
    cells: [
      <>
        <a key="name" href={context.link(applicationPath(applicationId))}>
          {displayName(name)}
        </a>{' '}
        {state === 'disabled' ? <span class="tag warn">Disabled</span> : null}
      </>,
      type === 'native' ? 'Native' : 'Web or server',
      <code key="id">{applicationId}</code>,
      date(Date.parse(createdAt)),
    ],
  }
}
