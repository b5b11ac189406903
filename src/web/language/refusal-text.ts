// What the rooms below refuse, in the language of the reader. Their own messages are those of the API, in English.

import type { Texts } from '../../languages/english/texts.js'
import type { Said } from '../../languages/texts.js'
import type { Refusal } from '../../oauth/errors/refusal.js'
import { PasswordRefusal } from '../../users/refusal.js'

/** The text of a refusal; a code that the catalogues do not have stays in the words of the API. */
export function refusalText(error: Refusal): Said {
  if (error instanceof PasswordRefusal) return (texts) => passwordText(texts, error)
  return (texts) => {
    const { refusals } = texts
    const { code } = error
    return isKnown(refusals, code) ? refusals[code] : error.message
  }
}

type Known = Exclude<keyof Texts['refusals'], 'password'>

function isKnown(refusals: Texts['refusals'], code: string): code is Known {
  return Object.hasOwn(refusals, code) && code !== 'password'
}

function passwordText({ refusals: { password } }: Texts, { broken }: PasswordRefusal): string {
  if (broken.rule === 'short' || broken.rule === 'long') return password[broken.rule](broken.bound)
  return password[broken.rule]
}
