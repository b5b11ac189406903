// Which of the languages a wish means: of a request, or of a browser.

import { type Language, languageOfTag } from './language.js'

/** Longer wishes are read as far as this; browsers send a handful. */
const mostWishes = 20

/** The first of `ui_locales` (OpenID Connect Core §3.1.2.1: tags by preference, separated by spaces) that there is. */
export function languageOfLocales(locales: string | undefined): Language | undefined {
  const tags = (locales ?? '').split(' ', mostWishes)
  return tags.map(languageOfTag).find((language) => language !== undefined)
}

/** The one that `Accept-Language` likes best (RFC 9110 §12.5.4). What cannot be read is no wish. */
export function languageOfHeader(header: string | undefined): Language | undefined {
  const ranges = (header ?? '').slice(0, 1000).split(',', mostWishes).map(readRange)
  const liked = ranges.filter(({ language, weight }) => language !== undefined && weight > 0)
  // Sorting is stable: of equal ones the first stays first.
  return liked.sort((a, b) => b.weight - a.weight)[0]?.language
}

function readRange(range: string): { language: Language | undefined; weight: number } {
  const [tag, ...parameters] = range.split(';').map((part) => part.trim())
  const written = parameters.find((each) => /^q=/i.test(each))
  const weight =
    written === undefined ? 1 : /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.test(written) ? Number(written.slice(2)) : 0
  return { language: languageOfTag(tag), weight }
}
