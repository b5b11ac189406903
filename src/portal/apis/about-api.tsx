// What an API is: its description, version, identifiers, who answers for it, and its document for programs.

import type { VNode } from 'preact'
import type { CatalogueApi } from '../../management/api-catalogue/catalogue-schemas.js'
import { Facts } from '../../web/pages/elements.js'
import type { PortalContext } from '../context.js'
import { apiPath } from './paths.js'
import { StateTag } from './state-tag.js'

/** The card. `callers`: the address of the page that says who calls it, for those who may. */
export function AboutApi({
  context,
  api,
  callers,
}: {
  context: PortalContext
  api: CatalogueApi
  callers: string | undefined
}): VNode {
  const { apiId, kind, description, version, resources, operationCount } = api
  const isWithoutTag = api.state === 'current' && api.sunset === null
  return (
    <section class="card" id="about" aria-label="About this API">
      <p class="said">{description}</p>
      <Facts
        id="facts"
        rows={[
          ...(version === null ? [] : [['Version', version] as const]),
          ['State', isWithoutTag ? 'In use' : <StateTag key="state" api={api} />],
          ['Who answers for it', <Contact key="contact" api={api} />],
          ...(resources.length === 0
            ? []
            : [
                [
                  'Tokens are for',
                  <ul key="resources" class="plain-list">
                    {resources.map((resource) => (
                      <li key={resource}>
                        <code>{resource}</code>
                      </li>
                    ))}
                  </ul>,
                ] as const,
              ]),
          ...(callers === undefined || operationCount === 0
            ? []
            : [
                [
                  'Calls',
                  <a key="callers" id="who-calls" href={callers}>
                    Who calls it
                  </a>,
                ] as const,
              ]),
          [
            'For programs',
            operationCount === 0 ? (
              whereItIs[kind]
            ) : (
              <a key="document" id="document" href={context.link(apiPath(apiId, '/openapi.json'))}>
                OpenAPI 3.1
              </a>
            ),
          ],
        ]}
      />
    </section>
  )
}

const whereItIs: Readonly<Record<CatalogueApi['kind'], string>> = {
  service: 'No route leads to it now',
  routes: 'It is not called through this gateway',
  management: 'See the API reference',
  tenant: 'It is not called through this gateway: the service behind it verifies tokens itself',
}

function Contact({ api: { contact, kind } }: { api: CatalogueApi }): VNode {
  if (contact === null) {
    return <>{kind === 'tenant' ? 'The developers of this tenant' : 'The operators of this server'}</>
  }
  const { name, url, email } = contact
  return (
    <>
      {url === undefined ? (
        name
      ) : (
        <a href={url} rel="noreferrer">
          {name ?? url}
        </a>
      )}
      {email === undefined ? null : (
        <>
          {name === undefined && url === undefined ? '' : ', '}
          <a href={`mailto:${email}`}>{email}</a>
        </>
      )}
    </>
  )
}
