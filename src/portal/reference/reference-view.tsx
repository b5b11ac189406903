// The document of the API as a page: a chapter for each tag, the operations in it, and of pages their addresses.

import type { VNode } from 'preact'
import type { ApiDocument } from '../../management/openapi/document-types.js'
import { type OperationAt, OperationView } from './operation-view.js'

/** The whole of it. */
export function ReferenceView({ document }: { document: ApiDocument }): VNode {
  const chapters = document.tags
    .map((tag) => ({ ...tag, id: idOf(tag.name), operations: operationsOf(document, tag.name) }))
    .filter(({ operations }) => operations.length > 0)
  return (
    <div class="reference">
      <div class="card">
        <p>{document.info.description}</p>
        <p>
          <a href="/api/v2/openapi.json">The same as OpenAPI 3.1</a>, for programs.
        </p>
        <nav aria-label="Chapters">
          <ul class="chapters">
            {chapters.map(({ id, name }) => (
              <li key={id}>
                <a href={`#${id}`}>{name}</a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      {chapters.map(({ id, name, description, operations }) => (
        <section class="card" id={id} key={id} aria-labelledby={`${id}-title`}>
          <h2 id={`${id}-title`}>{name}</h2>
          <p class="soft">{description}</p>
          {operations
            .filter((at) => !isPage(at))
            .map((at) => (
              <OperationView key={at.operation.operationId} at={at} document={document} />
            ))}
          <Pages pages={operations.filter(isPage)} />
        </section>
      ))}
    </div>
  )
}

/** Pages are for people: what matters is where they are. */
function Pages({ pages }: { pages: readonly OperationAt[] }): VNode | null {
  const shown = pages.filter(({ method }) => method === 'GET')
  if (shown.length === 0) return null
  return (
    <ul class="plain-list">
      {shown.map(({ path, operation }) => (
        <li key={path} id={operation.operationId}>
          <code>{path}</code> <span class="soft">{operation.summary}</span>
        </li>
      ))}
    </ul>
  )
}

/** Without the answers to preflights, which browsers ask for by themselves. */
function operationsOf({ paths }: ApiDocument, tag: string): OperationAt[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { tags }]) => method !== 'options' && tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

function isPage({ operation }: OperationAt): boolean {
  const shown = operation.responses['200']
  const hasParameters = operation.parameters?.some(({ in: place }) => place === 'query') ?? false
  return shown !== undefined && 'content' in shown && shown.content?.['text/html'] !== undefined && !hasParameters
}

function idOf(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}
