// The Markdown of our own pages as HTML (decision 0110). It is written by us and still never trusted with markup: HTML
// in it is shown as text, and a link leads to one of the pages, to an address of this server, or by https elsewhere.

import { Marked, type RendererObject, type Token, type Tokens } from 'marked'

/** A part of a page below one heading, for the search. */
export interface Section {
  /** The heading's id; empty for what stands before the first one. */
  id: string
  title: string
  /** Words without markup. */
  text: string
}

export interface RenderedPage {
  html: string
  sections: Section[]
}

/** Renders a page. Headings have ids made of their words, as on the usual code hosts. */
export function renderMarkdown(text: string): RenderedPage {
  const marked = new Marked({ gfm: true, renderer: rendererOf() })
  const tokens = marked.lexer(text)
  return { html: marked.parser(tokens), sections: sectionsOf(tokens) }
}

/** The id of a heading: `Backup and restore` → `backup-and-restore`. */
function headingId(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s._-]/gu, '')
    .replace(/[.]/g, '')
    .trim()
    .replace(/\s+/g, '-')
}

/** Of one page: it knows below which heading it is. */
function rendererOf(): RendererObject {
  let heading = 'Table'
  let tables = 0
  return {
    ...fixedRenderer,
    heading({ depth, text, tokens }: Tokens.Heading) {
      const id = headingId(plain(text))
      heading = plain(text)
      tables = 0
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    table({ header, rows }: Tokens.Table) {
      const cell = (tag: string, { tokens }: Tokens.TableCell) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
      const named = header.filter(({ text }) => text !== '')
      const heads = header.map((one) => cell(one.text === '' ? 'td' : 'th', one)).join('')
      const head = named.length === 0 ? '' : `<thead><tr>${heads}</tr></thead>`
      const body = rows.map((row) => `<tr>${row.map((one) => cell('td', one)).join('')}</tr>`).join('\n')
      // Each region has a name of its own among those of the page.
      tables += 1
      const label = tables === 1 ? heading : `${heading}, table ${tables}`
      return `<div class="table" role="region" tabindex="0" aria-label="${escaped(label)}"><table>${head}<tbody>${body}</tbody></table></div>\n`
    },
  }
}

const fixedRenderer: RendererObject = {
  code({ text, lang }: Tokens.Code) {
    if (lang === 'svg' && isDrawing(text)) return `<figure class="drawing">${text}</figure>\n`
    // Reachable by keyboard, because a long line scrolls.
    return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`
  },
  html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
  image: ({ text }: Tokens.Image) => escaped(text),
  link({ href, tokens }: Tokens.Link) {
    const inner = this.parser.parseInline(tokens)
    const target = linkTarget(href)
    return target === undefined ? `<span class="file">${inner}</span>` : `<a href="${escaped(target)}">${inner}</a>`
  },
}

/** Shapes and words, and nothing that runs, loads or leads anywhere. */
function isDrawing(text: string): boolean {
  const attribute =
    '(?:xmlns|viewBox|role|aria-label|x|y|x1|x2|y1|y2|width|height|fill|fill-opacity|font-size|text-anchor|stroke|stroke-opacity|stroke-dasharray)'
  const tag = new RegExp(
    `<(?:/(?:svg|g|title|text)|(?:svg|g|title|text|rect|line)(?: ${attribute}="[^"<>&]*")*/?)>`,
    'g',
  )
  return text.startsWith('<svg ') && text.endsWith('</svg>') && !/[<>&]/.test(text.replace(tag, ''))
}

/** `tokens.md#revoke` → `/docs/tokens#revoke`; undefined for files that the server does not serve. */
function linkTarget(href: string): string | undefined {
  if (/^https:\/\//.test(href) || /^(?:\/(?!\/)|#)/.test(href)) return href
  const page = /^([a-z-]+)\.md(#.*)?$/.exec(href)
  if (page !== null) return `/docs/${page[1]}${page[2] ?? ''}`
  const generated = /^([a-z]+-reference)(?:\.md)?(#.*)?$/.exec(href)
  return generated === null ? undefined : `/docs/${generated[1]}${generated[2] ?? ''}`
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: Section[] = []
  let current: Section = { id: '', title: '', text: '' }
  for (const token of tokens) {
    if (token.type === 'heading') {
      sections.push(current)
      const title = plain((token as Tokens.Heading).text)
      current = { id: headingId(title), title, text: '' }
    } else if (token.type !== 'code' || (token as Tokens.Code).lang !== 'svg') current.text += ` ${plain(token.raw)}`
  }
  return [...sections, current].filter(({ title, text }) => title !== '' || text.trim() !== '')
}

/** Words without marks. */
function plain(text: string): string {
  return text
    .replace(/\]\([^()]*\)/g, ' ')
    .replace(/^[ |:-]+$/gm, ' ')
    .replace(/[`*|[\]#<>]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
