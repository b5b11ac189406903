// Which language a browser says, before anything is known of the request: for answers past Fastify too.

import type { IncomingHttpHeaders } from 'node:http'
import type { Language } from '../../languages/language.js'
import { languageOfHeader } from '../../languages/wishes.js'
import { keptLanguage } from './kept-language.js'

/** What it keeps for its person, else what it likes best; undefined: it says no language that there is. */
export function languageOfBrowser(headers: IncomingHttpHeaders): Language | undefined {
  return keptLanguage(headers.cookie)?.language ?? languageOfHeader(headers['accept-language'])
}
