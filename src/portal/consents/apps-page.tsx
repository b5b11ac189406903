// Apps with access of the whole tenant: by application, what was granted for everybody and how many people use it.

import type { FastifyInstance } from 'fastify'
import { AppIcon } from '../../web/brand/app-icon.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { numberedPage, PageLinks, rowsOnPage } from '../lists/numbered-pages.js'
import { readSearch, SearchForm } from '../lists/search.js'
import { Table } from '../table.js'
import { appsPath, ConsentTabs, inboxPath } from './consent-tabs.js'
import { type Access, readAccess } from './read-access.js'

/** Registers it. */
export function registerAppsPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: appsPath,
    routeId: 'portal-consents-apps',
    get: getPage(deps, async (_request, reply, context) => {
      const apps = await readAccess(deps, context)
      const { search } = readSearch(context)
      const found = apps.filter(({ registration }) => fits(registration, search))
      const at = numberedPage(context, found.length)
      return sendFramed(reply, context, {
        title: 'Consents',
        tab: 'Apps with access',
        activePath: inboxPath,
        intro: `What applications may do in ${displayName(context.currentTenant.name)}, and what they ask for.`,
        children: (
          <>
            <ConsentTabs context={context} at="apps" />
            <Done context={context} texts={{ withdrawn: 'Withdrawn. What the application held here has ended.' }} />
            {apps.length === 0 ? (
              <EmptyState id="no-apps" title="No application has access">
                <p>Nobody here has consented to anything yet, neither for everybody nor for themselves.</p>
              </EmptyState>
            ) : (
              <>
                <SearchForm context={context} path={appsPath} label="Name, publisher or identifier" search={search} />
                <section class="card" aria-label="Apps with access">
                  {found.length === 0 ? (
                    <p id="nothing-found">
                      No application with access is called “{displayName(search)}”.{' '}
                      <a href={context.link(appsPath)}>Show all</a>
                    </p>
                  ) : (
                    <Table
                      id="apps"
                      columns={columns}
                      rows={found.slice(at.skip, at.skip + rowsOnPage).map((access) => rowOf(context, access))}
                    />
                  )}
                </section>
                <PageLinks context={context} path={appsPath} query={search === '' ? {} : { search }} at={at} />
              </>
            )}
          </>
        ),
      })
    }),
  })
}

/** By a part of the name or the publisher, in either case of letters, or by an identifier. */
function fits({ name, publisher, applicationId, publicKey }: Access['registration'], search: string): boolean {
  const wanted = search.normalize('NFC').toLowerCase()
  if ([applicationId, publicKey.toLowerCase()].includes(wanted)) return true
  return [name, publisher].some((text) => text.toLowerCase().includes(wanted))
}

const columns = [
  { text: 'Application' },
  { text: 'For everybody', brief: true },
  { text: 'By people themselves', brief: true },
  { text: 'Since', brief: true },
] as const

function rowOf(context: PortalContext, { registration, logo, granted, people, since }: Access) {
  const { applicationId, name, publisher, verified, tenantId } = registration
  const path = context.link(`${appsPath}/${applicationId}`)
  const said = publisher === '' ? 'Publisher not stated' : displayName(publisher)
  return {
    id: `app-${applicationId}`,
    cells: [
      <>
        <AppIcon name={name} logo={logo} />
        <a href={path}>{displayName(name)}</a>
        <span class="under">
          {tenantId === context.currentTenant.tenantId
            ? 'Registered here'
            : `${said}, ${verified ? 'verified' : 'unverified'}`}
        </span>
      </>,
      granted.length === 0 ? 'Nothing' : counted(granted.length, 'permission', 'permissions'),
      people === 0 ? 'Nobody' : counted(people, 'person', 'people'),
      date(since),
    ],
  }
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
