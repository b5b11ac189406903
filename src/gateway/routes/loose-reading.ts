// How servers could read a path that do not tell letters apart as the router does. Routes are ASCII; what is not may be read
// as it: Java compares `ı` and `ſ` as `i` and `s`, databases ignore accents and strokes, some file systems leave out what
// nobody sees, Windows takes what looks nearest (`⁄` for a slash, a soft hyphen for one that is seen). More is folded than any
// one of them does; that refuses more.

/** Escapes that are decoded somewhere: bytes beyond ASCII, and the signs that a path may also have as they are. */
const decodable = /%(?:[89A-F]|2[1246-9ABC]|3[ABD]|40)/

/** What is nearest on some code pages; what NFKD makes of a fraction is none of it. */
const nearest: readonly [RegExp, string][] = [
  [/[\u2044\u2215]/g, '/'],
  [/[\u2216\u00a5\u20a9]/g, '\\'],
]
const unseen = /[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u0640]/gu
const dashes = /\p{Pd}/gu
const strokes = /[đðħłøŧæœþ]/g
const withoutStroke: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  ø: 'o',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

/** A segment that a server takes for a way up, or for nothing. */
const dots = /\/\.(?:\.|%20)*(?:\/|$)/

/**
 * The readings of a canonical path, for a router that ignores letters' case: the path alone where nothing in it has another.
 * Undefined where one leads upwards: nobody knows then what a server makes of it. Linear in the path, which anybody sends.
 */
export function looseReadings(path: string): readonly string[] | undefined {
  if (!decodable.test(path)) return [path]
  // An escaped slash stays one: whether it is read as a slash is another question.
  const text = decodeURIComponent(path.replaceAll('%2F', '%252F'))
  const texts = text.includes('\u00ad') ? [text, text.replaceAll('\u00ad', '-')] : [text]
  const readings = texts.map(reading)
  return readings.some((one) => dots.test(one)) ? undefined : [path, ...readings]
}

/** As a canonical path again; slashes that would follow each other are one. */
function reading(text: string): string {
  return encodeURI(fold(text).replaceAll('\\', '/'))
    .replaceAll('%252f', '%2F')
    .replaceAll('?', '%3F')
    .replaceAll('#', '%23')
    .replace(/\/{2,}/g, '/')
}

function fold(text: string): string {
  const near = nearest.reduce((read, [signs, sign]) => read.replace(signs, sign), text)
  // Three times: `ẞ` is `ß`, which is SS.
  const letters = seen(seen(near).toLowerCase().toUpperCase().toLowerCase())
  return letters.replace(dashes, '-').replace(strokes, (letter) => withoutStroke[letter] ?? letter)
}

function seen(text: string): string {
  return text.normalize('NFKD').replace(unseen, '')
}
