// Choosing a language on a page: a link adds it to the page's own address, where it is taken out again and kept.

import type { FastifyRequest } from 'fastify'
import { type Language, languageOfTag } from '../../languages/language.js'

/** What a link of a page says to choose a language. */
export const languageParameter = 'page_language'

const choosable = new WeakMap<FastifyRequest, string>()

/** The page that is requested may be read in another language, which its address chooses. Only for page routes. */
export function letChoose(request: FastifyRequest, address: string): void {
  choosable.set(request, address)
}

/** The address to which a link adds the language; undefined where it cannot be chosen. */
export function choosableAddress(request: FastifyRequest): string | undefined {
  return choosable.get(request)
}

/** The language that the query chooses, and the address without it; undefined: it chooses none. */
export function chosenLanguage(address: string): { language: Language; address: string } | undefined {
  const [path = '', query] = address.split('?', 2)
  const pairs = query?.split('&') ?? []
  const own = (pair: string) => pair.startsWith(`${languageParameter}=`)
  const language = languageOfTag(pairs.find(own)?.slice(languageParameter.length + 1))
  if (language === undefined) return undefined
  const rest = pairs.filter((pair) => !own(pair)).join('&')
  return { language, address: rest === '' ? path : `${path}?${rest}` }
}
