// Names that strangers choose, as a page may show them (C1): nothing in them may change how the rest of the line reads.

/** Controls, line separators, joiners, marks and overrides of direction, variation selectors, tags, and fillers. */
const invisible =
  /\u034f|[\u17b4\u17b5]|[\ufe00-\ufe0f]|[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]/gu
/** More than two combining marks on one letter run over the lines around it. */
const piledMarks = /(\p{M}{2})\p{M}+/gu

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
]
const word = /[\p{L}\p{M}]+/gu

/** The name without invisible characters, composed (NFC), spaces collapsed, at most `most` characters; never empty. */
export function displayName(name: string, most = 100): string {
  const plain = name
    .normalize('NFC') // A byte order mark counts as white space, but nobody sees it.
    .replaceAll('\ufeff', '')
    .replace(/\s+/gu, ' ')
    .replace(invisible, '')
    .replace(piledMarks, '$1')
    .trim()
  const characters = [...plain]
  if (characters.length === 0) return '(no name)'
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : plain
}

/** Whether a word of the name mixes alphabets whose letters look alike, as in a Latin name with a Cyrillic “а”. */
export function hasLookalikes(name: string): boolean {
  const words = name.normalize('NFC').match(word) ?? []
  return words.some((each) => scripts.filter((script) => script.test(each)).length > 1)
}
