// Names that untrusted parties choose, as a page may show them (C1): nothing in them may change how the rest of the
// line reads. What a new name may be is decided in naming/; those from before are shown by this.

/**
 * Controls, line separators, joiners, marks and overrides of direction, variation selectors, tags, fillers, and blanks.
 */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}]|[\u2800\ufffc\u{1d159}]/gu
/** More than two combining marks on one letter run over the lines around it. */
const piledMarks = /(\p{M}{2})\p{M}+/gu

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
