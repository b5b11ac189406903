// Whether a page is in one language, wholly: nothing that people read on it is left in English.

import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Language } from '../../../src/languages/language.js'
import { textsIn } from '../../../src/languages/texts.js'
import { entriesOf } from '../people/catalogue-entries.js'
import { inspectPage } from './pages.js'

/** Whole sentences of the English catalogue. */
const sentences = entriesOf(textsIn('en')).flatMap(([, text]) =>
  typeof text === 'string' && text.split(' ').length > 2 ? [text] : [],
)
/** Words that no sentence of another language here has. */
const words = /(?<![\w.])(?:the|your|you|and|with|this|that|have|are|of)(?![\w.])/gi
/** The text that people see, without what is data and what says that it is of another language. */
const seen = `(() => {
  const page = document.body.cloneNode(true)
  const lang = document.documentElement.lang
  const data = 'bdi, code, time, script, option, input, .brand, #person, .app-mark, .languages'
  for (const each of page.querySelectorAll(data)) each.remove()
  for (const each of page.querySelectorAll('[lang]')) if (each.lang !== lang) each.remove()
  return page.textContent
})()`

/** The page that is open is in this language, wholly, and axe finds nothing. Pictures are named `whole-<name>-<language>`. */
export async function isWhollyIn(t: Test, page: Page, language: Language, name: string): Promise<void> {
  await page.waitForLoadState()
  t.equal(await page.getAttribute('html', 'lang'), language, name)
  const text = String(await page.evaluate(seen))
  t.same([sentences.filter((each) => text.includes(each)), text.match(words) ?? []], [[], []], `${name}: ${text}`)
  t.same(await inspectPage(page, `whole-${name}-${language}`), [], `axe: ${name}`)
}
