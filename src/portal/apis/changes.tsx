// What of an API will end: each operation with its days, and where it is said what to use instead.

import type { VNode } from 'preact'
import type { CatalogueApi, CatalogueOperation } from '../../management/api-catalogue/catalogue-schemas.js'
import { Table } from '../table.js'
import { dayOf } from './state-tag.js'

/** The card; nothing for an API of which everything stays. `callers`: the page that says who still calls, for those who may. */
export function Changes({
  api,
  callers,
}: {
  api: CatalogueApi
  callers: ((query: string) => string) | undefined
}): VNode | null {
  const ending = api.operations.filter(({ deprecated, sunset }) => deprecated || sunset !== null)
  if (ending.length === 0) return null
  return (
    <section class="card" id="changes" aria-labelledby="changes-title">
      <h2 id="changes-title">What will end</h2>
      <p>Build nothing new on these. Answers say the same in Deprecation and Sunset header fields.</p>
      <Table
        id="ending"
        columns={[{ text: 'Operation' }, { text: 'Deprecated' }, { text: 'May be gone from' }, { text: 'Instead' }]}
        rows={ending.map((one) => ({ id: `ending-${one.operationId}`, cells: cellsOf(one, callers) }))}
      />
    </section>
  )
}

function cellsOf(
  { operationId, method, path, deprecated, deprecatedSince, sunset, link }: CatalogueOperation,
  callers: ((query: string) => string) | undefined,
) {
  return [
    <>
      <a href={`#${operationId}`}>
        <code>
          {method} {path}
        </code>
      </a>
      {callers === undefined ? null : (
        <span class="under">
          <a href={callers(`?operation=${encodeURIComponent(operationId)}`)}>Who still calls it</a>
        </span>
      )}
    </>,
    deprecatedSince === null ? (deprecated ? 'Yes' : 'Not yet') : `Since ${dayOf(deprecatedSince)}`,
    sunset === null ? 'Not decided' : dayOf(sunset),
    link === null ? (
      'Nothing is said'
    ) : (
      <a key="link" href={link} rel="noreferrer">
        What to use instead
      </a>
    ),
  ]
}
