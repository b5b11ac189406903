// What a call says, as its person reads it before they allow it: nothing in it may be there and not be seen, and nothing
// may change how the rest reads.

/** Controls, line separators, joiners, overrides of direction, variation selectors, tags, fillers, what nobody assigned. */
const invisible = /[^\P{C}\n]|[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800\ufffc\u{1d159}]|(?! )\p{Zs}/gu
/** More than two combining marks on one letter run over the lines around it. */
const piledMarks = /(?<=\p{M}{2})\p{M}/gu

/** With what cannot be seen in its JSON spelling, `\u202e` (RFC 8259 §7). */
export function visibleText(text: string): string {
  return text.replace(invisible, spelled).replace(piledMarks, spelled)
}

/** The JSON text on lines of their own, all of it visible. */
export function visibleJson(json: string): string {
  return visibleText(JSON.stringify(JSON.parse(json), undefined, 2))
}

function spelled(character: string): string {
  // By code units, as JSON spells it.
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
