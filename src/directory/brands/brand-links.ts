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
  if (problem !== undefined) throw invalid(kind, problem)
  // Letters beyond ASCII grow: what is kept must be taken when it comes back.
  const { href } = new URL(text)
  const growth = linkProblem(href, kind)
  if (growth !== undefined) throw invalid(kind, `${growth}, written as ${href.length} characters of ASCII`)
  return href
}

function invalid(kind: LinkKind, problem: string): DirectoryRefusal {
  return new DirectoryRefusal('InvalidLink', `${linkNames[kind]} ${problem}.`, kind)
}
