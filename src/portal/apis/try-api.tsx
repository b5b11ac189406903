// From an API to calling it with an application of one's own.

import type { VNode } from 'preact'
import type { CatalogueApi } from '../../management/api-catalogue/catalogue-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Select } from '../choice-fields.js'
import type { PortalContext } from '../context.js'
import { apiPath } from './paths.js'

/** The card; nothing where there is nothing to call. */
export function TryApi({
  context,
  api: { apiId, operations },
  applications,
}: {
  context: PortalContext
  api: CatalogueApi
  applications: readonly { applicationId: string; name: string }[]
}): VNode | null {
  const calls = operations.filter(({ method }) => method === 'GET')
  if (calls.length === 0) return null
  return (
    <section class="card" id="try" aria-labelledby="try-title">
      <h2 id="try-title">Try it</h2>
      {applications.length === 0 ? (
        <p>
          Calls are made by an application. <a href={context.link('/portal/applications/new')}>Register one</a> first.
        </p>
      ) : (
        <form class="inline" method="get" action={apiPath(apiId, '/try')} id="try-form">
          {context.tenants.length > 1 ? (
            <input type="hidden" name="tenant" value={context.currentTenant.tenantId} />
          ) : null}
          <Select
            id="application"
            label="As"
            options={applications.map(({ applicationId, name }) => [applicationId, displayName(name, 60)] as const)}
          />
          <Select
            id="call"
            label="Call"
            options={calls.slice(0, 200).map(({ path }) => [path, `GET ${path}`] as const)}
          />
          <Button id="try-call" kind="plain">
            Go on to Try it
          </Button>
        </form>
      )}
    </section>
  )
}
