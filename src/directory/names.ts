// Names that people give: shown in consent pages, lists and logs, so nothing invisible may hide in them (C1).

import { parseClientIdentifier } from '../oauth/client-identifier.js'
import { DirectoryRefusal } from './refusal.js'

const longest = 120
/** Control characters, surrogates, private use, line separators, and every format character (which change the direction of text or
 * cannot be seen) but the two joiners that some scripts need. */
const forbidden = /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u

/**
 * The name as it is stored (Unicode NFC, outer spaces cut). Throws DirectoryRefusal when it is empty, longer than 120
 * characters, contains what cannot be seen, or looks like a client identifier: applications can be looked up by both.
 */
export function checkName(name: string, target: string): string {
  const stored = name.normalize('NFC').trim()
  const length = [...stored].length
  if (length === 0 || length > longest) {
    throw new DirectoryRefusal('InvalidName', `A name has 1 to ${longest} characters.`, target)
  }
  if (forbidden.test(name)) {
    throw new DirectoryRefusal('InvalidName', 'A name has no control, direction or invisible characters.', target)
  }
  if (parseClientIdentifier(stored) !== undefined) {
    throw new DirectoryRefusal('InvalidName', 'A name does not look like a client identifier.', target)
  }
  return stored
}
