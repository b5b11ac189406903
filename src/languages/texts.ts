// The texts of all pages and mails, by language. A catalogue is an object of the type of the English one: a text that is
// missing does not compile, and test/languages/ shows that none is left in English.

import { english, type Texts } from './english/texts.js'
import { french } from './french/texts.js'
import { german } from './german/texts.js'
import { japanese } from './japanese/texts.js'
import type { Language } from './language.js'
import { spanish } from './spanish/texts.js'

const catalogues: Readonly<Record<Language, Texts>> = { en: english, de: german, fr: french, es: spanish, ja: japanese }

/** What is said in that language. */
export function textsIn(language: Language): Texts {
  return catalogues[language]
}

/** A text of the catalogues, chosen when it is known who reads it; or one that stays as it is: a name, or English. */
export type Said = string | ((texts: Texts) => string)

/** The text itself. */
export function say(texts: Texts, said: Said): string {
  return typeof said === 'string' ? said : said(texts)
}
