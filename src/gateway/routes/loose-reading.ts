// How a server could read a path that does not tell letters' case, width, accents or composition apart: Java compares `ı`
// and `ſ` as `i` and `s`, databases ignore accents, some file systems compose what was taken apart and leave out what nobody
// sees. More is folded than any one of them does; that refuses more.

/** Escapes of bytes beyond ASCII. */
const beyondAscii = /%[89A-F]/

/** A pattern in the router's words (routerPattern), its parameters as they are. */
export function foldShape(shape: string): string {
  if (isAscii(shape)) return shape.toLowerCase()
  const segments = shape.split('/').map((segment) => {
    if (segment === '*' || segment.startsWith(':p')) return segment
    return fold(segment.replaceAll('::', ':')).replaceAll(':', '::')
  })
  return segments.join('/')
}

/**
 * A canonical path for a router that ignores letters' case: the same where it is ASCII. Undefined where it would be no
 * canonical one any more, such as one with dots of another width: nobody knows then what a server makes of it.
 */
export function foldPath(path: string): string | undefined {
  if (!beyondAscii.test(path)) return path
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (!beyondAscii.test(segment)) segments.push(segment)
    else segments.push(...foldEscaped(segment).split('/'))
  }
  const isClear = segments.every(
    (one, at) => one !== '.' && one !== '..' && (one !== '' || at === 0 || isLast(segments, at)),
  )
  return isClear ? segments.join('/') : undefined
}

/** An escaped slash stays one: whether it is read as a slash is another question. */
function foldEscaped(segment: string): string {
  const folded = fold(decodeURIComponent(segment.replaceAll('%2F', '%252F')))
  return encodeURI(folded.replaceAll('\\', '/'))
    .replaceAll('%252f', '%2F')
    .replaceAll('?', '%3F')
    .replaceAll('#', '%23')
}

function fold(text: string): string {
  const letters = seen(seen(text).toUpperCase().toLowerCase())
  // A star is the router's own, also one that was of another width.
  return letters.normalize('NFC').replaceAll('*', '＊')
}

function seen(text: string): string {
  return text.normalize('NFKD').replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
}

function isLast(segments: readonly string[], at: number): boolean {
  return at === segments.length - 1
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}
