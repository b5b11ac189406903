// All languages, in the order of the tabs.

import { pageLanguage } from './browser-page.js'
import { curlLanguage } from './curl.js'
import type { SnippetFacts } from './facts.js'
import { goLanguage } from './go.js'
import { javaLanguage } from './java.js'
import type { Language } from './language.js'
import { nodeLanguage } from './node.js'
import { pythonLanguage } from './python.js'

/** What an application is shown. None of the texts has its secret, which comes from a file. */
export function languagesOf(facts: SnippetFacts): Language[] {
  const all = [curlLanguage, nodeLanguage, pythonLanguage, goLanguage, javaLanguage, pageLanguage]
  return all.map((language) => language(facts)).filter((language) => language !== undefined)
}
