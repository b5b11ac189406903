// The operations of an API as the reference shows them, and the schemas that they refer to. They are written once for
// each document, and only when somebody looks.

import type { VNode } from 'preact'
import type { CatalogueApi } from '../../management/api-catalogue/catalogue-schemas.js'
import { type PlacedOperation, placedOperations } from '../../management/api-catalogue/entries.js'
import { schemasReferredBy } from '../../management/api-catalogue/slice.js'
import type { ApiDocument } from '../../management/openapi/document-types.js'
import { prerendered } from '../../web/pages/prerendered.js'
import type { PortalDependencies } from '../dependencies.js'
import { OperationView } from '../reference/operation-view.js'
import { schemaText } from '../reference/schema-text.js'
import { trustingCurl } from '../snippets/curl.js'

export interface ShownOperations {
  operations: readonly { operationId: string; view: VNode }[]
  /** By name; undefined: there is none. */
  schemas: VNode | undefined
}

const mostSchemas = 100

interface Written {
  of: ApiDocument
  placed: ReadonlyMap<string, PlacedOperation>
  operations: Map<string, VNode>
  schemas: Map<string, VNode | undefined>
}

/** What is shown of an API to people of a tenant. */
export function operationViews(deps: PortalDependencies): (api: CatalogueApi) => Promise<ShownOperations> {
  const curl = trustingCurl(deps.authority)
  let written: Written | undefined
  return async ({ operations }) => {
    const document = await deps.document('members')
    if (written?.of !== document) {
      const placed = new Map(placedOperations(document).map((one) => [one.operation.operationId, one]))
      written = { of: document, placed, operations: new Map(), schemas: new Map() }
    }
    const { placed, operations: views, schemas } = written
    const shown = operations.flatMap(({ operationId }) => placed.get(operationId) ?? [])
    for (const at of shown) {
      const id = at.operation.operationId
      if (!views.has(id)) views.set(id, prerendered(<OperationView at={at} document={document} curl={curl} />))
    }
    const all = operations.map(({ operationId }) => operationId).join(' ')
    if (!schemas.has(all)) schemas.set(all, schemasView(document, shown))
    return {
      operations: shown.flatMap(({ operation: { operationId } }) => {
        const view = views.get(operationId)
        return view === undefined ? [] : [{ operationId, view }]
      }),
      schemas: schemas.get(all),
    }
  }
}

function schemasView(document: ApiDocument, shown: readonly PlacedOperation[]): VNode | undefined {
  const { schemas } = document.components
  const named = Object.keys(schemasReferredBy(document, shown)).slice(0, mostSchemas)
  if (named.length === 0) return undefined
  return prerendered(
    <div class="stack">
      {named.map((name) => (
        <details key={name} class="operation" id={`schema-${name}`}>
          <summary>
            <code>{name}</code>
          </summary>
          <pre>{schemaText(schemas[name] ?? {}, schemas)}</pre>
        </details>
      ))}
    </div>,
  )
}

/** The card; nothing for an API that is not called through this gateway. */
export function Operations({ api, views }: { api: CatalogueApi; views: ShownOperations['operations'] }): VNode | null {
  if (views.length === 0) return null
  return (
    <section class="card chapter" id="operations" aria-labelledby="operations-title">
      <h2 id="operations-title">Operations: {api.operationCount}</h2>
      {views.map(({ operationId, view }) => (
        <div key={operationId} class="entry">
          {view}
        </div>
      ))}
    </section>
  )
}

/** The card. */
export function Schemas({ schemas }: { schemas: VNode | undefined }): VNode | null {
  if (schemas === undefined) return null
  return (
    <section class="card" id="schemas" aria-labelledby="schemas-title">
      <h2 id="schemas-title">Schemas</h2>
      {schemas}
    </section>
  )
}
