// What a brand says in words and addresses, checked: each refusal names the field.

import { type LinkKind, linkProblem } from '../../branding/links.js'
import { DirectoryRefusal } from '../refusal.js'

const linkNames: Readonly<Record<LinkKind, string>> = {
  terms: 'The address of the terms',
  privacy: 'The address of the statement on privacy',
  support: 'The address of support',
  home: 'The home page',
}

/**
 * The address as it is kept; empty for null. `before` stays when nothing is said. Throws DirectoryRefusal (InvalidLink).
 */
export function checkedLink(kind: LinkKind, wanted: string | null | undefined, before: string): string {
  if (wanted === undefined) return before
  const text = (wanted ?? '').trim()
  if (text === '') return ''
  const problem = linkProblem(text, kind)
  if (problem !== undefined) throw new DirectoryRefusal('InvalidLink', `${linkNames[kind]} ${problem}.`, kind)
  return new URL(text).href
}
