// Names that untrusted parties choose, as a page may show them (C1): nothing in them may change how the rest of the
// line reads. What a new name may be is decided in naming/; those from before are shown by this.

import { shownName } from '../../naming/shown-name.js'

/** The name as it can be seen, at most `most` characters; never empty. */
export function displayName(name: string, most = 100): string {
  const shown = shownName(name)
  if (shown === '') return '(no name)'
  const characters = [...shown]
  return characters.length > most ? `${shownName(characters.slice(0, most - 1).join(''))}…` : shown
}
