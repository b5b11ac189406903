// The API catalogue: which APIs there are, what state they are in, and what access to each of them takes.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { CatalogueList } from '../../management/api-catalogue/catalogue-schemas.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { readSearch, SearchForm } from '../lists/search.js'
import { apiPath, cataloguePath, ownApisPath } from './paths.js'
import { StateTag } from './state-tag.js'

type Api = CatalogueList['value'][number]

const mostNamed = 6

/** `GET /portal/apis`. */
export function registerCatalogue(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: cataloguePath,
    routeId: 'portal-apis',
    get: getPage(deps, async (_request, reply, context) => {
      const { search } = readSearch(context)
      const query = new URLSearchParams(search === '' ? {} : { search })
      const { value } = await context.api<CatalogueList>('GET', `/apiCatalogue?${query}`)
      return sendFramed(reply, context, {
        title: 'APIs',
        activePath: cataloguePath,
        intro: 'What applications can be given access to, and which permissions that takes.',
        children: (
          <>
            <SearchForm
              context={context}
              path={cataloguePath}
              label="Name, permission or a part of a path"
              search={search}
            />
            {isAtLeast(context.currentTenant.role, 'developer') ? (
              <p>
                <a id="own" href={context.link(ownApisPath)}>
                  APIs that this tenant defines
                </a>
              </p>
            ) : null}
            {value.length === 0 ? (
              <NothingFound context={context} search={search} />
            ) : (
              <ul class="cards apis" id="apis">
                {value.map((api) => (
                  <ApiCard key={api.apiId} context={context} api={api} />
                ))}
              </ul>
            )}
          </>
        ),
      })
    }),
  })
}

function NothingFound({ context, search }: { context: PortalContext; search: string }): VNode {
  return (
    <EmptyState id="nothing-found" title="No API has all of these words">
      <p>
        Nothing fits “{displayName(search)}”. <a href={context.link(cataloguePath)}>Show all</a>
      </p>
    </EmptyState>
  )
}

function ApiCard({ context, api }: { context: PortalContext; api: Api }): VNode {
  const { apiId, name, description, version, operationCount, permissions } = api
  const shown = permissions.slice(0, mostNamed)
  return (
    <li class="card" id={`api-${apiId}`}>
      <h2>
        <a href={context.link(apiPath(apiId))}>{displayName(name, 80)}</a>
      </h2>
      <p class="fine">
        {[version === null ? '' : `Version ${version}`, operationsText(operationCount)].filter(Boolean).join(' · ')}{' '}
        <StateTag api={api} />
      </p>
      <p class="soft said">{shortened(description)}</p>
      <p class="fine">
        {permissions.length === 0 ? 'Open to everybody: it takes no permission.' : 'Permissions: '}
        {shown.map(({ resource, id }, index) => (
          <span key={`${resource} ${id}`}>
            {index === 0 ? '' : ', '}
            <code>{id}</code>
          </span>
        ))}
        {permissions.length > shown.length ? ` and ${permissions.length - shown.length} more` : ''}
      </p>
    </li>
  )
}

function operationsText(count: number): string {
  if (count === 0) return 'not called through this gateway'
  return count === 1 ? '1 operation' : `${count} operations`
}

/** The page of the API has the rest. */
function shortened(text: string): string {
  const [first = ''] = text.split('\n')
  return first.length > 200 ? `${first.slice(0, 199)}…` : first
}
