// What a client that nobody registered calls itself, as it may stand on a page: one short line, of characters that are
// seen and that turn nothing around.

import { shownName } from '../naming/shown-name.js'

const longest = 64

/** The name as it is shown and kept; empty when nothing of it can be seen. */
export function plainClientName(name: string): string {
  const plain = shownName(name)
  const characters = [...plain]
  return characters.length <= longest ? plain : `${shownName(characters.slice(0, longest - 1).join(''))}…`
}
