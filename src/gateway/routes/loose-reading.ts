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
const withoutStroke: ReadonlyMap<string, string> = new Map([
  ...([
    ['đ', 'd'],
    ['ð', 'd'],
    ['ħ', 'h'],
    ['ł', 'l'],
    ['ø', 'o'],
    ['ŧ', 't'],
  ] as const),
  ...([
    ['æ', 'ae'],
    ['œ', 'oe'],
    ['þ', 'th'],
  ] as const),
])

/** A segment that a server takes for a way up, or for nothing. */
const dots = /^\.(?:\.|%20)*$/

/**
 * The readings of a canonical path, for a router that ignores letters' case: the path alone where nothing in it has another.
 * Undefined where one leads upwards: nobody knows then what a server makes of it.
 */
export function looseReadings(path: string): readonly string[] | undefined {
  if (!decodable.test(path)) return [path]
  const readings = [path, ...['', '-'].map((softHyphen) => reading(path, softHyphen))]
  return readings.some((one) => one.split('/').some((segment) => dots.test(segment))) ? undefined : readings
}

/** Slashes that would follow each other are one. */
function reading(path: string, softHyphen: string): string {
  const read = path.split('/').map((segment) => (decodable.test(segment) ? folded(segment, softHyphen) : segment))
  return read.join('/').replace(/\/{2,}/g, '/')
}

/** An escaped slash stays one: whether it is read as a slash is another question. */
function folded(segment: string, softHyphen: string): string {
  const text = decodeURIComponent(segment.replaceAll('%2F', '%252F')).replaceAll('\u00ad', softHyphen)
  return encodeURI(fold(text).replaceAll('\\', '/'))
    .replaceAll('%252f', '%2F')
    .replaceAll('?', '%3F')
    .replaceAll('#', '%23')
}

function fold(text: string): string {
  const near = nearest.reduce((read, [signs, sign]) => read.replace(signs, sign), text)
  // Three times: `ẞ` is `ß`, which is SS.
  const letters = seen(seen(near).toLowerCase().toUpperCase().toLowerCase())
  return [...letters.replace(dashes, '-')].map((letter) => withoutStroke.get(letter) ?? letter).join('')
}

function seen(text: string): string {
  return text.normalize('NFKD').replace(unseen, '')
}
