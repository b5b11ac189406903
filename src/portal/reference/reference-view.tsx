// The document of the API as a page: what to look for, a menu of chapters and operations, and the operations.

import type { VNode } from 'preact'
import type { ApiDocument } from '../../management/openapi/document-types.js'
import { displayName } from '../../web/pages/display-name.js'
import { Field } from '../../web/pages/elements.js'
import { CopyBlock } from '../copy.js'
import type { Chapter, Contents } from './chapters.js'
import type { OperationAt } from './operation-view.js'

const path = '/portal/reference'

/**
 * `shown`: what of it fits the search. `tenantId`: what the address of the page names. `trust`: the commands after which
 * curl trusts this server, where it signs its own certificate.
 */
export function ReferenceView({
  document,
  shown,
  search,
  tenantId,
  trust,
}: {
  document: ApiDocument
  shown: Contents
  search: string
  tenantId: string | undefined
  trust: string | undefined
}): VNode {
  const count = shown.chapters.reduce((sum, { entries }) => sum + entries.length, 0)
  return (
    <div class="reference">
      <div class="beside-reference">
        <search>
          <form id="reference-search" method="get" action={path} aria-label="Search the reference">
            {tenantId === undefined ? null : <input type="hidden" name="tenant" value={tenantId} />}
            <Field id="q" label="Search" type="search" required={false} value={search} maxLength={100} />
            <button id="find" type="submit" class="plain small">
              Search
            </button>
          </form>
        </search>
        <p id="found" class="fine" role="status">
          {search === '' ? null : found(count)}
        </p>
        <Menu chapters={shown.chapters} />
      </div>
      <div class="stack">
        {search === '' ? <About document={document} trust={trust} /> : null}
        <p class="card" id="nothing-found" hidden={count > 0 || shown.pages.length > 0}>
          No operation has all of these words. Look for a part of a path, a permission or a name.
        </p>
        {shown.chapters.map((chapter) => (
          <ChapterView key={chapter.id} chapter={chapter} />
        ))}
        <Pages pages={shown.pages} />
      </div>
    </div>
  )
}

function found(count: number): string {
  return count === 1 ? '1 operation' : `${count} operations`
}

function About({ document, trust }: { document: ApiDocument; trust: string | undefined }): VNode {
  return (
    <div class="card" id="about-reference">
      <p>{document.info.description}</p>
      <p>
        <a href="/api/v2/openapi.json">The same as OpenAPI 3.1</a>, for programs.
      </p>
      {trust === undefined ? null : (
        <>
          <p>
            This server runs in development mode and signs its own certificate. Once, in the folder where you call it:
          </p>
          <CopyBlock id="trust" name="In a terminal">
            {trust}
          </CopyBlock>
        </>
      )}
    </div>
  )
}

function Menu({ chapters }: { chapters: readonly Chapter[] }): VNode {
  return (
    <nav aria-label="Operations" id="reference-menu">
      <ul>
        {chapters.map(({ id, name, entries }) => (
          <li key={id} data-chapter={id}>
            <a href={`#${id}`}>{displayName(name, 80)}</a>
            <ul>
              {entries.map(({ method, operation: { operationId, summary, deprecated } }) => (
                <li key={operationId}>
                  <a href={`#${operationId}`} data-of={operationId}>
                    <span class="method">{method}</span>
                    <span class={deprecated === true ? 'gone' : ''}>{displayName(summary, 80)}</span>
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function ChapterView({ chapter: { id, name, description, entries } }: { chapter: Chapter }): VNode {
  return (
    <section class="card chapter" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{displayName(name, 80)}</h2>
      <p class="soft said">{description}</p>
      {entries.map(({ operation: { operationId }, text, view }) => (
        <div key={operationId} class="entry" data-text={text}>
          {view}
        </div>
      ))}
    </section>
  )
}

/** Pages are for people: what matters is where they are. */
function Pages({ pages }: { pages: readonly OperationAt[] }): VNode | null {
  if (pages.length === 0) return null
  return (
    <details class="card" id="pages">
      <summary>Pages for people, which programs do not call: {pages.length}</summary>
      <ul class="plain-list">
        {pages.map(({ path: at, operation }) => (
          <li key={at} id={operation.operationId}>
            <code>{at}</code> <span class="soft">{operation.summary}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
