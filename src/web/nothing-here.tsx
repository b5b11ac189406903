// What a browser gets where there is nothing: from the bare address of the server to where people begin, elsewhere a page
// with ways on. Programs get the error body (contract §5), and so does everybody below /api and on a host for APIs.

import type { IncomingMessage } from 'node:http'
import type { BrandSettings } from '../config/brand/brand-settings.js'
import type { RequestContext } from '../http/requests/request-context.js'
import { type Language, languages } from '../languages/language.js'
import { brandOfServer, type PageBrand } from './brand/page-brand.js'
import { languageOfBrowser } from './language/browser-language.js'
import { useTexts } from './language/texts.js'
import { Page } from './pages/layout.js'
import { renderPage } from './pages/send-page.js'

/** Stands in the page that is rendered once in each language, and once more when the server's brand has changed; no identifier of a request is written like it. */
const placeholder = '{request-id}'

/** An answer past Fastify; `headers` without the fields that every answer has. */
export interface PageAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

/**
 * Builds the function that answers, in the reader's language or `serverLanguage`; undefined for a request that wants no
 * page. `publicOrigin` as for renderPage; `serverBrand`: of the moment, another object when a reload has changed it.
 */
export function createNothingHere(
  publicOrigin: string,
  serverLanguage: Language = 'en',
  serverBrand: () => BrandSettings | undefined = () => undefined,
) {
  const render = (settings: BrandSettings | undefined) => {
    const brand = settings && brandOfServer(settings)
    return new Map(languages.map((language) => [language, renderIn(language, publicOrigin, brand)]))
  }
  let worn = serverBrand()
  let rendered = render(worn)
  return (request: IncomingMessage, facts: RequestContext): PageAnswer | undefined => {
    const { target, requestId, entry } = facts
    if (!target.ok || entry.apiHost !== undefined || /^\/api(?:\/|$)/i.test(target.path)) return undefined
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return undefined
    if (target.path === '/')
      return { status: 303, headers: { location: '/portal', vary: 'accept', 'cache-control': 'no-store' }, body: '' }
    const brand = serverBrand()
    if (brand !== worn) [worn, rendered] = [brand, render(brand)]
    const page = rendered.get(languageOfBrowser(request.headers) ?? serverLanguage)
    return page && { status: 404, headers: page.headers, body: page.around.join(requestId) }
  }
}

function renderIn(language: Language, publicOrigin: string, brand: PageBrand | undefined) {
  const headers = { vary: 'accept, accept-language, cookie' }
  const reading = { language, here: undefined, brand }
  const page = renderPage(<NothingHere />, { forms: false, headers }, publicOrigin, reading)
  return { headers: page.headers, around: page.body.split(placeholder) }
}

function NothingHere() {
  const { frame, errors } = useTexts()
  const { title, what, remedy, start, documentation, numbers } = errors.nothingHere
  return (
    <Page title={title} home="/portal">
      <div class="card" id="error">
        <p id="what">{what}</p>
        <p id="remedy">{remedy}</p>
        <p>
          <a class="button" id="go-on" href="/portal">
            {start}
          </a>
        </p>
        <p>
          <a href="/account">{frame.yourAccount}</a> ·{' '}
          <a href="/docs" hreflang="en">
            {documentation}
          </a>{' '}
          ·{' '}
          <a href="/errors" hreflang="en">
            {numbers}
          </a>
        </p>
      </div>
      <p class="fine">
        {frame.request} <code id="request-id">{placeholder}</code>
      </p>
    </Page>
  )
}
