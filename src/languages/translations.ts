// Texts that somebody wrote, such as what a permission allows, with the same in other languages beside them.

import { type Language, languages } from './language.js'

/** The same text in other languages. */
export type Translations = Readonly<Partial<Record<Language, string>>>

/** What is read in the language `wanted`: the text in it, or the one that was written in `own`. */
export function translated(
  { text, translations = {}, own }: { text: string; translations?: Translations | undefined; own: Language },
  wanted: Language,
): { text: string; language: Language } {
  const inWanted = translations[wanted]
  return inWanted === undefined ? { text, language: own } : { text: inWanted, language: wanted }
}

/** From the JSON that a row keeps; what cannot be read is none, and a language that there is no more is left out. */
export function storedTranslations(json: string): Translations | undefined {
  if (json === '') return undefined
  const read: Readonly<Record<string, unknown>> = JSON.parse(json)
  const known = languages.flatMap((each) => {
    const text = read[each]
    return typeof text === 'string' ? [[each, text] as const] : []
  })
  return known.length === 0 ? undefined : Object.fromEntries(known)
}
