// The document of the API by chapters, and what of it somebody looks for.

import type { VNode } from 'preact'
import { methodsInOrder } from '../../management/api-catalogue/entries.js'
import type { ApiDocument } from '../../management/openapi/document-types.js'
import type { OperationAt } from './operation-view.js'

/** An operation as the page shows it. */
export interface Entry extends OperationAt {
  /** What a search looks at, in lower case. */
  text: string
  /** Written once, for everybody. */
  view: VNode
}

export interface Chapter {
  id: string
  name: string
  description: string
  entries: readonly Entry[]
}

export interface Contents {
  chapters: readonly Chapter[]
  /** Addresses of pages for people, which programs do not call. */
  pages: readonly OperationAt[]
}

const longestSearch = 100
const longestText = 600

/** `viewOf` writes an operation. Chapters that have none are left out. */
export function contentsOf(document: ApiDocument, viewOf: (at: OperationAt) => VNode): Contents {
  const ids = new Set<string>()
  const chapters = document.tags.map(({ name, description }) => ({
    id: idOf(name, ids),
    name,
    description,
    operations: operationsOf(document, name),
  }))
  return {
    chapters: chapters.flatMap(({ operations, ...chapter }) => {
      const entries = operations
        .filter((at) => !isPage(at))
        .map((at) => ({ ...at, text: searched(chapter.name, at), view: viewOf(at) }))
      return entries.length === 0 ? [] : [{ ...chapter, entries }]
    }),
    pages: chapters.flatMap(({ operations }) => operations.filter((at) => isPage(at) && at.method === 'GET')),
  }
}

/** What fits: each word stands somewhere in an operation. All of it when nothing is looked for. */
export function searchContents({ chapters, pages }: Contents, search: string): Contents {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return { chapters, pages }
  const fits = (text: string) => words.every((word) => text.includes(word))
  return {
    chapters: chapters.flatMap((chapter) => {
      const entries = chapter.entries.filter(({ text }) => fits(text))
      return entries.length === 0 ? [] : [{ ...chapter, entries }]
    }),
    pages: pages.filter((at) => fits(searched('', at))),
  }
}

/** What the address of the page looks for. */
export function readReferenceSearch(query: URLSearchParams): string {
  return (query.get('q') ?? '').trim().slice(0, longestSearch)
}

function searched(chapter: string, { method, path, operation }: OperationAt): string {
  const { operationId, summary, description = '', parameters = [] } = operation
  const permissions = (operation['x-permissions'] ?? []).flat()
  const names = parameters.map(({ name }) => name)
  const words = [method, path, summary, operationId, chapter, ...permissions, ...names, description]
  return words.join(' ').slice(0, longestText).toLowerCase()
}

/** Without the answers to preflights, which browsers ask for by themselves. */
function operationsOf({ paths }: ApiDocument, tag: string): OperationAt[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { tags }]) => method !== 'options' && tags.includes(tag))
      .sort(([one], [other]) => methodsInOrder.indexOf(one) - methodsInOrder.indexOf(other))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

function isPage({ operation }: OperationAt): boolean {
  const shown = operation.responses['200']
  const hasParameters = operation.parameters?.some(({ in: place }) => place === 'query') ?? false
  const isHtml = shown !== undefined && 'content' in shown && shown.content?.['text/html'] !== undefined
  return isHtml && !hasParameters && operation['x-permissions'] === undefined
}

/** For addresses; two chapters may differ by what is left out. */
export function idOf(tag: string, taken: Set<string>): string {
  const word =
    tag
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'api'
  let id = word
  for (let count = 2; taken.has(id); count++) id = `${word}-${count}`
  taken.add(id)
  return id
}
