// Which language a page is answered in (decision 0124): what the request that waits here says by `ui_locales`, unless
// the person chose otherwise on a page since; what they chose, or what their account says since they signed in; what
// their browser likes best; what this server begins with.

import type { FastifyRequest } from 'fastify'
import type { Texts } from '../../languages/english/texts.js'
import type { Language } from '../../languages/language.js'
import { textsIn } from '../../languages/texts.js'
import { languageOfLocales } from '../../languages/wishes.js'
import { languageOfBrowser } from './browser-language.js'
import { keptLanguage } from './kept-language.js'

const wished = new WeakMap<FastifyRequest, { language: Language; sinceMs: number }>()

/** The language of the answer to this request. */
export function languageOf(request: FastifyRequest): Language {
  const wish = wished.get(request)
  if (wish !== undefined && (keptLanguage(request.headers.cookie)?.atMs ?? 0) < wish.sinceMs) return wish.language
  return languageOfBrowser(request.headers) ?? request.server.pageLanguage ?? 'en'
}

/** What is said in it. */
export function textsOf(request: FastifyRequest): Texts {
  return textsIn(languageOf(request))
}

/** What the request that waits for this person wishes, since it came (epoch milliseconds). */
export function wishLanguage(request: FastifyRequest, language: Language | undefined, sinceMs: number): void {
  if (language !== undefined) wished.set(request, { language, sinceMs })
}

/** The language that `ui_locales` of a query or a form wishes. A hint, so no way of writing it is an error. */
export function localesWish(text: string): Language | undefined {
  return languageOfLocales(new URLSearchParams(text).get('ui_locales') ?? undefined)
}
