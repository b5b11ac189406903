// What a permission of a tenant's API allows, in other languages. Who consents reads it in place of the first text, so
// it is held to the same rules, and the ledger keeps what it says.

import { nearestName } from '../../config/report/suggest.js'
import { languageOfTag, languages } from '../../languages/language.js'
import type { ApiPermissionRow } from '../../storage/sql/registrations/apis.js'
import { checkName } from '../applications/names.js'
import { DirectoryRefusal } from '../refusal.js'

/** Of all permissions of an API together: every instance holds them in memory. */
const mostCharacters = 30_000
/** As many are quoted in one event of the ledger. */
const mostQuoted = 20

/** By the tags of languages, as somebody wrote them. */
export type WrittenTranslations = Readonly<Record<string, string | undefined>>

/**
 * As a row keeps them. Throws DirectoryRefusal (InvalidPermission: a language that there is not; InvalidName,
 * NameReserved: a text that the first one could not be either).
 */
export function keptTranslations(id: string, descriptions: WrittenTranslations = {}): string {
  const texts = Object.entries(descriptions).flatMap(([tag, text]) => {
    if (text === undefined) return []
    if (!languages.some((each) => each === tag)) throw unknownLanguage(id, tag)
    return [[tag, checkName(text, 'permissions', 'permission')] as const]
  })
  return texts.length === 0 ? '' : JSON.stringify(Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Throws DirectoryRefusal InvalidPermission when they are more than an API may have. */
export function checkTranslationsFit(rows: readonly ApiPermissionRow[]): void {
  const length = rows.reduce((sum, { translations }) => sum + translations.length, 0)
  if (length <= mostCharacters) return
  const message = `The descriptions in other languages of an API have ${mostCharacters} characters at most.`
  throw new DirectoryRefusal('InvalidPermission', message, 'permissions')
}

/**
 * The texts of `after` that say something else than in `before`, quoted for the ledger with their permission and
 * language: `Orders.Read (de): Bestellungen lesen`.
 */
export function rewordings(before: readonly ApiPermissionRow[], after: readonly ApiPermissionRow[]): string[] {
  const known = new Set(before.flatMap(textsOf))
  const changed = after.flatMap(textsOf).filter((text) => !known.has(text))
  const gone = changed.length - mostQuoted
  return gone <= 0 ? changed : [...changed.slice(0, mostQuoted), `and ${gone} more`]
}

function textsOf({ permission_id: id, describe, translations }: ApiPermissionRow): string[] {
  const others: Readonly<Record<string, string>> = translations === '' ? {} : JSON.parse(translations)
  return [`${id}: ${describe}`, ...Object.entries(others).map(([tag, text]) => `${id} (${tag}): ${text}`)]
}

function unknownLanguage(id: string, tag: string): DirectoryRefusal {
  const written = /^[\w-]{1,35}$/.test(tag) ? tag : 'that'
  const nearest = languageOfTag(tag) ?? nearestName(tag, languages)
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  const message = `${id} is described in ${written}, which is none of the languages ${languages.join(', ')}.${meant}`
  return new DirectoryRefusal('InvalidPermission', message, 'permissions')
}
