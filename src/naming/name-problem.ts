// The one decision on what a name may be (decision 0101), for everything that people name. Whether somebody else has
// the name is checked where names are kept.

import { addressIn, linkIn } from './addresses.js'
import { characterProblem } from './characters.js'
import { badgeProblem, reservedProblem } from './reserved.js'
import { mixedWord } from './scripts.js'

/**
 * What is named. Everybody sees applications, publishers, tenants and APIs; of permissions the text that people consent
 * to; labels are seen by those who look after the thing: of secrets, registration tokens, federated credentials,
 * passkeys.
 */
export type Named = 'application' | 'publisher' | 'tenant' | 'api' | 'permission' | 'person' | 'label'

export interface NameProblem {
  kind: 'malformed' | 'reserved'
  /** A sentence in ASCII that is safe to show: characters are named by their number. */
  message: string
}

const longest = 120
/** Written out (NFKC): one character may stand for a sentence, and everybody who gives a name is held against it. */
const longestWrittenOut = 360
/** Publishers are called by their domain elsewhere, and imports say so. It stands beside the word Unverified. */
const domain = /^(?!www\.)(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}$/iu
const vouched = new Set<Named>(['application', 'publisher', 'tenant', 'api'])

/** The form in which names are kept: Unicode NFC, outer spaces cut. */
export function storedName(name: string): string {
  return name.normalize('NFC').trim()
}

/**
 * Why this may not be the name of such a thing; undefined when it may. `isVouchedFor`: an operator says that it is what
 * it says.
 */
export function nameProblem(name: string, named: Named, isVouchedFor?: boolean): NameProblem | undefined {
  const stored = storedName(name)
  const length = [...stored].length
  if (length === 0 || length > longest) return malformed(`A name has 1 to ${longest} characters.`)
  if (stored.normalize('NFKC').length > longestWrittenOut) {
    return malformed('A name has fewer characters that stand for whole words: write those out.')
  }
  const problem = characterProblem(name.normalize('NFC'))
  if (problem !== undefined) {
    return malformed(`A name has no control, direction, invisible or disguised characters: ${problem}.`)
  }
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(stored)) return malformed('A name has a letter, a digit or a sign.')
  if (named === 'label') return undefined
  return wordProblem(stored, named) ?? (isVouchedFor === true ? undefined : claimProblem(stored, named))
}

function wordProblem(name: string, named: Named): NameProblem | undefined {
  const mixed = mixedWord(name)
  if (mixed !== undefined) {
    return malformed(
      `Each word of a name is of one alphabet: the one at place ${mixed.place} mixes ${mixed.scripts.join(' and ')}.`,
    )
  }
  const isPerson = named === 'person'
  if (named === 'publisher' && domain.test(name)) return undefined
  const address = isPerson ? linkIn(name) : addressIn(name, named === 'tenant')
  return address === undefined ? undefined : malformed(`A name leads nowhere: ${quoted(address)} reads as an address.`)
}

function claimProblem(name: string, named: Named): NameProblem | undefined {
  const claim = vouched.has(named) ? reservedProblem(name) : badgeProblem(name)
  return claim === undefined ? undefined : { kind: 'reserved', message: `This name is not to be had: it ${claim}.` }
}

/** Answers of OAuth are plain ASCII without double quotes (RFC 6749 §5.2). */
function quoted(text: string): string {
  return /^[\x21\x23-\x5b\x5d-\x7e ]+$/.test(text) ? `'${text}'` : 'a part of this one'
}

function malformed(message: string): NameProblem {
  return { kind: 'malformed', message }
}
