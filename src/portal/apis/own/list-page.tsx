// The APIs that the tenant defines itself: their identifiers, how many permissions they have, and the way to a new one.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { ApisAnswer } from '../../../management/permissions/apis.js'
import { registerPage } from '../../../web/page-routes.js'
import { displayName } from '../../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../../context.js'
import { date } from '../../dates.js'
import type { PortalDependencies } from '../../dependencies.js'
import { Done } from '../../done-notice.js'
import { EmptyState } from '../../empty-state.js'
import { sendFramed } from '../../frame.js'
import { Table } from '../../table.js'
import { cataloguePath, ownApiPath, ownApisPath } from '../paths.js'

const texts = { deleted: 'The API is deleted, with its permissions.' }

/** `GET /portal/apis/own`. */
export function registerOwnApis(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: ownApisPath,
    routeId: 'portal-own-apis',
    get: getPage(deps, async (_request, reply, context) => {
      const { value } = await context.api<ApisAnswer>('GET', '/apis')
      return sendFramed(reply, context, {
        title: 'APIs of this tenant',
        activePath: cataloguePath,
        eyebrow: <a href={context.link(cataloguePath)}>APIs</a>,
        intro: `What ${displayName(context.currentTenant.name, 60)} offers to its own applications: services that verify tokens themselves, without this gateway.`,
        children: (
          <>
            <Done context={context} texts={texts} />
            {value.length === 0 ? <None context={context} /> : <List context={context} apis={value} />}
          </>
        ),
      })
    }),
  })
}

function NewLink({ context }: { context: PortalContext }): VNode {
  return (
    <a class="button" id="new-api" href={context.link(`${ownApisPath}/new`)}>
      Define an API
    </a>
  )
}

function None({ context }: { context: PortalContext }): VNode {
  return (
    <EmptyState id="no-apis" title="Define your first API" action={<NewLink context={context} />}>
      <p>
        An API gets an identifier, which its tokens name as their audience, and the permissions that you define.
        Services behind this gateway need none: their permissions are in its configuration.
      </p>
    </EmptyState>
  )
}

function List({ context, apis }: { context: PortalContext; apis: ApisAnswer['value'] }): VNode {
  return (
    <>
      <p>
        <NewLink context={context} />
      </p>
      <div class="card">
        <Table
          id="own-apis"
          columns={[
            { text: 'Name' },
            { text: 'Identifier' },
            { text: 'Permissions', number: true },
            { text: 'Changed' },
          ]}
          rows={apis.map(({ apiId, name, identifier, permissions, updatedAt }) => ({
            id: `own-api-${apiId}`,
            cells: [
              <a key="name" href={context.link(ownApiPath(apiId))}>
                {displayName(name)}
              </a>,
              <code key="identifier">{identifier}</code>,
              String(permissions.length),
              date(Date.parse(updatedAt)),
            ],
          }))}
        />
      </div>
    </>
  )
}
