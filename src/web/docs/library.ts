// What stands below /docs: the pages of src/docs and the references that rooms write of themselves, rendered once, when
// somebody first asks. Nothing of a request ever goes into a page, so they are the same for everybody.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Section } from './markdown.js'

/** A page before it is rendered. */
export interface DocumentSource {
  /** The last part of its address. */
  slug: string
  title: string
  /** The part of the menu that it belongs to. */
  group: string
  /** Its place among all pages. */
  order: number
  /** In Markdown, without its title. */
  text: string
}

export interface DocumentPage extends Omit<DocumentSource, 'text'> {
  /** Trusted: made by markdown.ts. */
  html: string
  sections: readonly Section[]
}

export interface Library {
  /** In their order. */
  pages: readonly DocumentPage[]
  /** `[address, page, heading, words]` of each section, as JSON for the search. */
  index: string
  /** Changes with any page. */
  version: string
}

/** A reference that is written when it is first requested. */
export type ReferenceSource = Omit<DocumentSource, 'text'> & { write: () => string | Promise<string> }

/** Reads and renders everything at the first call; a call that failed is made again by the next. */
export function createLibrary(folder: string, references: readonly ReferenceSource[]): () => Promise<Library> {
  let library: Promise<Library> | undefined
  return () => {
    library ??= build(folder, references).catch((error: unknown) => {
      library = undefined
      throw error
    })
    return library
  }
}

async function build(folder: string, references: readonly ReferenceSource[]): Promise<Library> {
  const sources = [...(await readPages(folder)), ...(await Promise.all(references.map(written)))]
  sources.sort((one, other) => one.order - other.order)
  const { renderMarkdown } = await import('./markdown.js')
  const pages: DocumentPage[] = []
  for (const { text, ...page } of sources) {
    pages.push({ ...page, ...renderMarkdown(text) })
    // Calls through the gate wait for one page, not for all of them.
    await nextTurn()
  }
  const index = JSON.stringify(pages.flatMap(indexed))
  const hash = createHash('sha256').update(index)
  for (const { html } of pages) hash.update(html)
  return { pages, index, version: hash.digest('base64url').slice(0, 22) }
}

async function readPages(folder: string): Promise<DocumentSource[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
  return Promise.all(
    names.map(async (name) => readSource(name.slice(0, -'.md'.length), await readFile(join(folder, name), 'utf8'))),
  )
}

async function written({ write, ...page }: ReferenceSource): Promise<DocumentSource> {
  return { ...page, text: await write() }
}

/** A file of src/docs: its head between two lines of `---`, then its text. Throws for a head that lacks something. */
export function readSource(slug: string, file: string): DocumentSource {
  const [, head = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(file) ?? []
  const value = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(head)?.[1] ?? ''
  const page = { slug, title: value('title'), group: value('group'), order: Number(value('order') || Number.NaN), text }
  if (page.title === '' || page.group === '' || !Number.isInteger(page.order)) {
    throw new Error(`src/docs/${slug}.md needs a head with title, group and order`)
  }
  return page
}

function indexed({ slug, title, sections }: DocumentPage): [string, string, string, string][] {
  return sections.map((section) => [
    `/docs/${slug}${section.id === '' ? '' : `#${section.id}`}`,
    title,
    section.title,
    section.text,
  ])
}
