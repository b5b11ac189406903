// The documentation at /docs: for anybody, without a sign-in, cookies or scripts. The menu stands beside every page;
// the search above it appears where scripts run.
//
//   GET /docs                 all pages, by group
//   GET /docs/search.json     what the search looks through
//   GET /docs/<page>          one page of src/docs, or a reference that a room writes of itself

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { isCurrent } from '../../http/requests/if-none-match.js'
import { requestContext } from '../../http/requests/request-context.js'
import { refuseOtherMethods } from '../other-methods.js'
import { sendPageError } from '../page-errors.js'
import { registerAssets } from '../pages/assets.js'
import { Page } from '../pages/layout.js'
import { sendPage } from '../pages/send-page.js'
import { copyScript } from './copy-script.js'
import type { DocumentPage, Library } from './library.js'
import { searchScript } from './search-script.js'
import { docsStyles } from './stylesheet.js'

const maxAgeSeconds = 300

/** Pages of this server that belong to the reference and have an address of their own. */
const elsewhere = [
  { path: '/errors', title: 'Error numbers' },
  { path: '/portal/reference', title: 'API reference' },
  { path: '/downloads', title: 'Downloads' },
]

/** Registers /docs and what it loads. `library` is called with each request. */
export function registerDocs(scope: FastifyInstance, library: () => Promise<Library>): void {
  const onRequest = async (request: FastifyRequest) => {
    requestContext(request).entry.route = 'docs'
  }
  scope.setErrorHandler((error, request, reply) => sendPageError(error, request, reply))
  scope.get('/docs', { onRequest }, async (request, reply) => {
    const all = await library()
    return sendUnlessKept(request, reply, all, () => <Contents library={all} />)
  })
  scope.get('/docs/search.json', { onRequest }, async (request, reply) => sendIndex(request, reply, await library()))
  scope.get<{ Params: { page: string } }>('/docs/:page', { onRequest }, async (request, reply) => {
    const all = await library()
    const page = all.pages.find(({ slug }) => slug === request.params.page)
    if (page === undefined)
      return sendPage(reply, 404, <Missing library={all} />, { forms: false, language: 'en', ...scripted })
    return sendUnlessKept(request, reply, all, () => <Document library={all} page={page} />)
  })
  for (const path of ['/docs', '/docs/search.json', '/docs/:page']) {
    refuseOtherMethods(scope, path, 'docs', ['GET', 'HEAD'])
  }
  registerAssets(scope, [docsStyles, searchScript, copyScript])
}

const scripted = { script: true, connect: true }

function sendUnlessKept(
  request: FastifyRequest,
  reply: FastifyReply,
  library: Library,
  page: () => VNode,
): FastifyReply {
  if (isKept(request, reply, library)) return reply.code(304).send()
  return sendPage(reply, 200, page(), { maxAgeSeconds, forms: false, language: 'en', ...scripted })
}

function sendIndex(request: FastifyRequest, reply: FastifyReply, library: Library): FastifyReply {
  if (isKept(request, reply, library)) return reply.code(304).send()
  return reply
    .header('content-type', 'application/json')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('cross-origin-resource-policy', 'same-origin')
    .send(library.index)
}

/** Whether the browser has this version (RFC 9110 §13.1.2). Says the version in any case. */
function isKept(request: FastifyRequest, reply: FastifyReply, { version }: Library): boolean {
  const etag = `"${version}"`
  reply.header('etag', etag).header('cache-control', `public, max-age=${maxAgeSeconds}`)
  return isCurrent(request.headers['if-none-match'], etag)
}

function Document({ library, page }: { library: Library; page: DocumentPage }): VNode {
  const html = { __html: page.html }
  const headings = page.sections.filter(({ id }) => id !== '')
  return (
    <Frame library={library} title={page.title} at={`/docs/${page.slug}`}>
      {headings.length < 3 ? null : (
        <details class="contents">
          <summary>On this page</summary>
          <ul>
            {headings.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
      <article class="prose" dangerouslySetInnerHTML={html} />
      <Neighbours library={library} page={page} />
    </Frame>
  )
}

function Neighbours({ library: { pages }, page }: { library: Library; page: DocumentPage }): VNode {
  const place = pages.indexOf(page)
  const [before, after] = [pages[place - 1], pages[place + 1]]
  return (
    <nav class="neighbours" aria-label="Neighbouring pages">
      {before === undefined ? <span /> : <a href={`/docs/${before.slug}`}>← {before.title}</a>}
      {after === undefined ? <span /> : <a href={`/docs/${after.slug}`}>{after.title} →</a>}
    </nav>
  )
}

function Contents({ library }: { library: Library }): VNode {
  return (
    <Frame
      library={library}
      title="Documentation"
      at="/docs"
      intro="How to run Portcullis, build on it and operate it."
    >
      {groupsOf(library).map(({ group, entries }) => (
        <section class="card" key={group} aria-label={group}>
          <h2>{group}</h2>
          <ul class="columns">
            {entries.map(({ path, title }) => (
              <li key={path}>
                <a href={path}>{title}</a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Frame>
  )
}

function Missing({ library }: { library: Library }): VNode {
  return (
    <Frame library={library} title="This page does not exist" at="">
      <p>
        It may have another name now. <a href="/docs">All pages of the documentation</a>
      </p>
    </Frame>
  )
}

interface FrameProps {
  library: Library
  title: string
  /** The entry of the menu that is open. */
  at: string
  intro?: string
  children?: VNode | (VNode | null)[]
}

function Frame({ library, title, at, intro, children }: FrameProps): VNode {
  return (
    <Page
      title={title}
      {...(intro === undefined ? {} : { intro })}
      width="wide"
      home="/portal"
      styles={[docsStyles.path]}
      scripts={[searchScript.path, copyScript.path]}
      sidebar={<Menu library={library} at={at} />}
    >
      {children}
    </Page>
  )
}

function Menu({ library, at }: { library: Library; at: string }): VNode {
  return (
    <div class="beside">
      <search id="docs-search" hidden>
        <label for="docs-query">Search the documentation</label>
        <input id="docs-query" type="search" autocomplete="off" spellcheck={false} maxLength={100} />
        <p id="docs-found" class="fine" role="status" />
        <ul id="docs-results" />
      </search>
      <a class="to-menu" href="#docs-menu">
        All pages
      </a>
      <nav id="docs-menu" aria-label="Documentation" tabIndex={-1}>
        {groupsOf(library).map(({ group, entries }) => (
          <div key={group}>
            <p class="label">{group}</p>
            <ul>
              {entries.map(({ path, title }) => (
                <li key={path}>
                  <a href={path} {...(path === at ? { 'aria-current': 'page' as const } : {})}>
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  )
}

interface Group {
  group: string
  entries: { path: string; title: string }[]
}

/** The menu: groups in the order of their first pages. */
function groupsOf({ pages }: Library): Group[] {
  const groups = new Map<string, Group>()
  for (const { group, slug, title } of pages) {
    const entry = groups.get(group) ?? { group, entries: [] }
    entry.entries.push({ path: `/docs/${slug}`, title })
    groups.set(group, entry)
  }
  const reference = groups.get('Reference') ?? { group: 'Reference', entries: [] }
  reference.entries.push(...elsewhere)
  groups.set('Reference', reference)
  return [...groups.values()]
}
