// Names and signs that say more than a name may say: the product's own, and whatever looks as if somebody had vouched
// for it.

import { bareFormsOf } from './skeleton.js'

const product = 'Portcullis'
const vouching = [
  'verified',
  'official',
  'verifiziert',
  'offiziell',
  'geprüft',
  'vérifié',
  'officiel',
  'verificado',
  'oficial',
]
/** Offices that people obey. A name may have such a word, but may not be nothing else. */
const offices = ['admin', 'admins', 'administrator', 'administrators', 'administration', 'support', 'security']
const fillers = [
  ...offices,
  'it',
  'team',
  'desk',
  'help',
  'helpdesk',
  'service',
  'center',
  'centre',
  'department',
  'system',
  'the',
]
/** Check marks, stars, shields, locks, medals: what other products put beside what they have checked. */
const badges =
  /[\u2705\u2713\u2714\u2611\u221a\u237b\u{1f5f8}\u{1f5f9}\u{1fbb1}\u{1f6e1}\u{1f510}\u{1f512}\u{1f513}\u{1f50f}\u{1f511}\u{1f5dd}\u2b50\u2605\u2606\u272a\u272f\u2730\u{1f31f}\u{1f396}\u{1f397}\u{1f3c5}\u{1f3c6}\u{1f947}\u{1f948}\u{1f949}\u{1f4af}\u{1f46e}\u{1f6a8}\u26a0\u2757\u2755\u26d4\u{1f6ab}\u{1f194}\u{1f197}\uaa9c]/u

const productForms = bareFormsOf(product)
const vouchingForms = new Set(vouching.flatMap(bareFormsOf))
const officeForms = new Set(offices.flatMap(bareFormsOf))
const fillerForms = new Set(fillers.flatMap(bareFormsOf))

/** What a name says that it may not, as the end of a sentence; undefined for nothing. */
export function reservedProblem(name: string): string | undefined {
  if (bareFormsOf(name).some((form) => productForms.some((own) => form.includes(own)))) {
    return `looks like ${product}, the name of this product`
  }
  const words = wordsOf(name)
  const claim = words.find((word) => bareFormsOf(word).some((form) => vouchingForms.has(form)))
  if (claim !== undefined) return 'says that somebody vouches for it, which only an operator can'
  if (isOffice(words)) return 'is an office, of which it would have to be told whose'
  if (boxedIn(name).some((each) => isOffice(wordsOf(each)))) return 'ends in a badge of an office'
  return badgeProblem(name)
}

/** A sign that looks like a verification; undefined for none. */
export function badgeProblem(name: string): string | undefined {
  const at = [...name].findIndex((each) => badges.test(each))
  return at === -1 ? undefined : `has a sign at place ${at + 1} that looks as if somebody had verified it`
}

/** What stands between two brackets or quotation marks. */
function boxedIn(name: string): string[] {
  const parts = name.split(/([()[\]{}<>|«»“”"])/u)
  return parts.filter((_, i) => '([{<|«“"'.includes(parts[i - 1] ?? ' ') && ')]}>|»”"'.includes(parts[i + 1] ?? ' '))
}

function isOffice(words: readonly string[]): boolean {
  const among = (forms: ReadonlySet<string>) => (word: string) => bareFormsOf(word).some((form) => forms.has(form))
  return words.some(among(officeForms)) && words.every(among(fillerForms))
}

function wordsOf(name: string): string[] {
  return name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}
