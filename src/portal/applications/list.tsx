// /portal/applications: the applications of the tenant, by name; with none yet, the three kinds to begin with.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { Overview } from '../../management/overview/overview-schemas.js'
import { AppIcon } from '../../web/brand/app-icon.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import { getPage, type PortalContext } from '../context.js'
import { date, span } from '../dates.js'
import { deletedPath } from '../deleted/deleted-page.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { type NumberedPage, numberedPage, PageLinks, rowsOnPage } from '../lists/numbered-pages.js'
import { readSearch, SearchForm } from '../lists/search.js'
import { NewOriginsNotice } from '../redirect-origins/notice.js'
import { readNewOrigins } from '../redirect-origins/read-new-origins.js'
import { Table } from '../table.js'
import { KindCards } from './kind-cards.js'
import { kinds } from './kinds.js'

const path = '/portal/applications'
const soonMs = 30 * 86_400_000

const texts = {
  deleted: 'The application is deleted, and its tokens are refused.',
  'deleted-restorable':
    'The application is deleted, and its tokens are refused. It stands under “Deleted applications” until it cannot be restored any more.',
}
const states = [
  { state: '', text: 'All' },
  { state: 'enabled', text: 'Enabled' },
  { state: 'disabled', text: 'Disabled' },
] as const

type Lines = Overview<'applicationLines'>
type Line = Lines['value'][number]

/** What the address asks for. */
interface Wanted {
  search: string
  state: (typeof states)[number]['state']
}

/** Registers it. */
export function registerApplicationList(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-applications',
    get: getPage(deps, async (_request, reply, context) => {
      const wanted = wantedIn(context)
      const { lines, at } = await readLines(context, wanted)
      const isEmpty = wanted.search === '' && wanted.state === '' && lines.count === 0
      const newOrigins = await readNewOrigins(context)
      return sendFramed(reply, context, {
        title: 'Applications',
        activePath: path,
        intro: `What is registered in ${displayName(context.currentTenant.name)}.`,
        children: (
          <>
            <Done context={context} texts={texts} />
            <NewOriginsNotice context={context} origins={newOrigins} />
            {isEmpty ? (
              <Begin context={context} />
            ) : (
              <List context={context} wanted={wanted} lines={lines} at={at} nowMs={deps.now()} />
            )}
            <p>
              <a id="deleted-applications" href={context.link(deletedPath)}>
                Deleted applications
              </a>
            </p>
          </>
        ),
      })
    }),
  })
}

function wantedIn(context: PortalContext): Wanted {
  const state = states.find((one) => one.state === context.query.get('state'))?.state ?? ''
  return { search: readSearch(context).search, state }
}

/** The page that the address names. Reads once more when it is beyond the end. */
async function readLines(context: PortalContext, wanted: Wanted): Promise<{ lines: Lines; at: NumberedPage }> {
  const first = numberedPage(context, Number.MAX_SAFE_INTEGER)
  const read = (skip: number) => {
    const query = new URLSearchParams({ ...queryOf(wanted), $top: String(rowsOnPage), $skip: String(skip) })
    return context.api<Lines>('GET', `/overview/applications/lines?${query}`)
  }
  const lines = await read(Math.min(first.skip, mostSkipped))
  const at = numberedPage(context, lines.count)
  return { lines: at.skip === first.skip ? lines : await read(at.skip), at }
}

/** As the API takes it; beyond the end the last page is shown. */
const mostSkipped = 9_999_999

/** In the address of the page, and in the API's query. */
function queryOf({ search, state }: Wanted): Record<string, string> {
  return { ...(search === '' ? {} : { search }), ...(state === '' ? {} : { state }) }
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

function List({
  context,
  wanted,
  lines,
  at,
  nowMs,
}: {
  context: PortalContext
  wanted: Wanted
  lines: Lines
  at: NumberedPage
  nowMs: number
}): VNode {
  const { search, state } = wanted
  return (
    <>
      <div class="toolbar">
        <SearchForm
          context={context}
          path={path}
          label="Name or identifier"
          search={search}
          hidden={state === '' ? {} : { state }}
        />
        <div class="buttons">
          <a class="button" id="register" href={context.link(`${path}/new`)}>
            Register an application
          </a>
          <a class="button plain" id="import" href={context.link('/portal/import')}>
            Import
          </a>
        </div>
      </div>
      <States context={context} wanted={wanted} />
      <div class="card">
        {lines.value.length === 0 ? (
          <p id="nothing-found">
            {search === '' ? `No application is ${state}.` : `No application is called “${displayName(search)}”.`}{' '}
            <a href={context.link(path)}>Show all</a>
          </p>
        ) : (
          <Table id="applications" columns={columns} rows={lines.value.map((line) => rowOf(context, line, nowMs))} />
        )}
      </div>
      <PageLinks context={context} path={path} query={queryOf(wanted)} at={at} />
    </>
  )
}

const columns = [
  { text: 'Application' },
  { text: 'Kind' },
  { text: 'Owners' },
  { text: 'Last used', brief: true },
  { text: 'Secret ends', brief: true },
] as const

function States({ context, wanted }: { context: PortalContext; wanted: Wanted }): VNode {
  return (
    <nav aria-label="State">
      <ul class="pills">
        {states.map(({ state, text }) => {
          const query = new URLSearchParams(queryOf({ ...wanted, state })).toString()
          return (
            <li key={state}>
              <a
                href={context.link(query === '' ? path : `${path}?${query}`)}
                {...(state === wanted.state ? { 'aria-current': 'page' as const } : {})}
              >
                {text}
              </a>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function rowOf(context: PortalContext, line: Line, nowMs: number) {
  const { applicationId, name, kind, state, owners, logo, lastUsedAt, waitingPermissions: waiting } = line
  return {
    id: `application-${applicationId}`,
    cells: [
      <>
        <AppIcon name={name} logo={logo} />
        <a key="name" href={context.link(applicationPath(applicationId))}>
          {displayName(name)}
        </a>{' '}
        {state === 'disabled' ? <span class="tag warn">Disabled</span> : null}
        <code class="under">{applicationId}</code>
        {waiting === 0 ? null : (
          <a class="under" href={context.link(applicationPath(applicationId, 'permissions'))}>
            {waiting === 1 ? 'A permission waits' : `${waiting} permissions wait`} for consent
          </a>
        )}
      </>,
      kinds[kind].title,
      <Owners key="owners" owners={owners} />,
      lastUsedAt === null ? <span class="soft">Never</span> : date(Date.parse(lastUsedAt)),
      <SecretEnd key="secret" line={line} nowMs={nowMs} />,
    ],
  }
}

function Owners({ owners: [first, ...others] }: Pick<Line, 'owners'>): VNode {
  if (first === undefined) return <span class="soft">Administrators</span>
  return (
    <>
      {displayName(first, 60)}
      {others.length === 0 ? null : (
        <span class="under">
          and {others.length === 1 ? displayName(others[0] ?? '', 60) : `${others.length} others`}
        </span>
      )}
    </>
  )
}

function SecretEnd({ line: { hasSecrets, secretEndsAt }, nowMs }: { line: Line; nowMs: number }): VNode {
  if (!hasSecrets) return <span class="soft">Has none</span>
  if (secretEndsAt === null) return <span class="tag warn">It has ended</span>
  const left = Date.parse(secretEndsAt) - nowMs
  return (
    <>
      {date(Date.parse(secretEndsAt))}
      {left > soonMs ? null : <span class="under unused">in {span(left)}</span>}
    </>
  )
}
