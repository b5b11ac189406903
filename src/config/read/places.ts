// Where every setting stands in the file, and what of it a message may show.

import type { Position } from './position.js'

/** Keys and indexes from the root of the file. */
export type Path = readonly (string | number)[]

export interface Point {
  line: number
  column: number
}

/** Where a setting's key and value begin, and what the file says there before any reference was resolved. */
export interface Place {
  key: Point
  value: Point
  /** A scalar's text as written; undefined for lists and mappings. */
  written: string | undefined
  kind: 'scalar' | 'list' | 'mapping'
  /** False when the value came from the environment, another file or an anchor: then it is never shown. */
  literal: boolean
  /** When it is another file than the main one. */
  file?: string
}

export interface Places {
  put(path: Path, place: Place): void
  has(path: Path): boolean
  /** Whether the value stands in the file itself. */
  isLiteral(path: Path): boolean
  /** Of the value, or of its key. A setting that is not written stands at the key of what it belongs to. */
  position(path: Path, at?: 'key' | 'value'): Position
  /** What the file says there, quoted, where that may be shown; else where the value came from. */
  quoted(path: Path): string
  /** The text that may be shown or compared with known names; empty when it may not. */
  shownText(path: Path): string
}

/**
 * An empty set of places, in one file where a place says nothing else; `file` is its name as messages should show it.
 */
export function createPlaces(file: string): Places {
  const places = new Map<string, Place>()
  const find = (path: Path) => places.get(pathKey(path))
  return {
    put: (path, place) => places.set(pathKey(path), place),
    has: (path) => places.has(pathKey(path)),
    isLiteral: (path) => find(path)?.literal === true,
    position(path, at = 'value') {
      for (let length = path.length; length >= 0; length -= 1) {
        const place = find(path.slice(0, length))
        if (place === undefined) continue
        return { file: place.file ?? file, ...(length < path.length || at === 'key' ? place.key : place.value) }
      }
      return { file, line: 1, column: 1 }
    },
    quoted: (path) => (isSecret(path) ? 'the value' : quotedPlace(find(path))),
    shownText(path) {
      const place = find(path)
      return place?.literal === true && !isSecret(path) ? (place.written ?? '') : ''
    },
  }
}

/** One text per path, for maps and sets. */
export function pathKey(path: Path): string {
  return JSON.stringify(path)
}

/** Whether a setting holds a secret: keys, and URLs that may have a password in them. */
export function isSecret(path: Path): boolean {
  if (path[0] === 'upstreams') return path[2] === 'key'
  if (path[0] === 'redis' && path[1] === 'sentinel') return path[2] === 'password'
  return path[0] === 'secrets' || (path[1] === 'url' && (path[0] === 'store' || path[0] === 'redis'))
}

// A literal is shortened, and a URL loses its user and password.
function quotedPlace(place: Place | undefined): string {
  if (place === undefined) return 'this'
  if (place.written === undefined) return `a ${place.kind}`
  const shown = place.written.length > 80 ? `${place.written.slice(0, 80)}…` : place.written
  const text = JSON.stringify(shown.replace(/\/\/[^/@]*@/g, '//***@'))
  return place.literal ? text : `what ${text} stands for`
}
