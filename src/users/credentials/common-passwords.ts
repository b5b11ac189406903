// The passwords that guessing begins with: 49,000 of the commonest in leaked lists, from @zxcvbn-ts/language-common
// (decision 0087). Read when the first password is set, not at the start.

import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
let known: ReadonlySet<string> | undefined

/**
 * Whether it is one of them, in small letters and without what is around it, or one with digits and signs around it.
 */
export function isCommonPassword(plain: string): boolean {
  known ??= new Set((require('@zxcvbn-ts/language-common') as Dictionaries).dictionary['passwords-common'])
  const words = [plain, trimmed(plain, /[^\p{L}\p{N}]/u), trimmed(plain, /[^\p{L}]/u)]
  return words.some((word) => word.length >= shortest && known?.has(word) === true)
}

interface Dictionaries {
  dictionary: { 'passwords-common': readonly string[] }
}

/** Shorter ones stand within many a good password. */
const shortest = 5

/** Without the characters at both ends that are of this kind. */
function trimmed(text: string, kind: RegExp): string {
  const letters = [...text]
  const first = letters.findIndex((letter) => !kind.test(letter))
  return first === -1 ? '' : letters.slice(first, letters.findLastIndex((letter) => !kind.test(letter)) + 1).join('')
}
