// The form that a number takes in a language (Unicode CLDR, by Intl). The languages here have at most these two for the
// numbers that pages show.

import type { Language } from './language.js'

const rules = new Map<Language, Intl.PluralRules>()

/** The form for that many: in French `one` is for 0 too, in Japanese it is always `other`. */
export function plural(language: Language, count: number, forms: { one: string; other: string }): string {
  const known = rules.get(language)
  const rule = known ?? new Intl.PluralRules(language)
  if (known === undefined) rules.set(language, rule)
  return rule.select(count) === 'one' ? forms.one : forms.other
}
