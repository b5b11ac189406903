// The code that a person types (RFC 8628 §6.1): eight consonants, which spell no words and are told apart when read
// aloud or copied by hand. 20^8 of them; how often somebody may guess is limited where they are typed.

import { randomInt } from 'node:crypto'

const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** A new code in its plain form, such as `BCDFGHJK`. */
export function createUserCode(random: (bound: number) => number = randomInt): string {
  return Array.from({ length }, () => letters[random(letters.length)]).join('')
}

/** The code as people see it: `BCDF-GHJK`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
}

/**
 * The plain form of what somebody typed: letter case, spaces, hyphens and other punctuation do not count. undefined
 * when it cannot be a code.
 */
export function parseUserCode(typed: string | undefined): string | undefined {
  if (typed === undefined || typed.length > 64) return undefined
  const code = typed.toUpperCase().replace(/[\s\p{P}]/gu, '')
  return code.length === length && [...code].every((letter) => letters.includes(letter)) ? code : undefined
}
