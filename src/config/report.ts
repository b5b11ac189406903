// Collects what is wrong while a file is read, and knows where every setting stands in it.

import type { Problem } from './problem.js'
import type { Position } from './settings.js'

/** Keys and indexes from the root of the file. */
export type Path = readonly (string | number)[]

export interface Point {
  line: number
  column: number
}

/** Where a setting's key and value begin; `written` is a scalar's text in the file, before any reference was resolved. */
export interface Place {
  key: Point
  value: Point
  written?: string
  /** False when the value came from the environment or from another file: then it is never quoted or compared aloud. */
  literal: boolean
}

export interface Report {
  /** Remembers where a setting stands. */
  place(path: Path, place: Place): void
  /** A mistake; nothing is loaded. `at` the key or the value (the default); a setting that is not written stands at its parent's key. */
  problem(path: Path, message: string, at?: 'key' | 'value'): void
  /** A mistake at a known point of the file. */
  problemAt(point: Point, message: string): void
  /** Worth knowing, but loaded. */
  warning(path: Path, message: string): void
  /** Whether something is wrong at this setting or below it. */
  isBroken(path: Path): boolean
  position(path: Path, at?: 'key' | 'value'): Position
  /** What the file says there, quoted, where that may be shown; else a description of where it came from. */
  quoted(path: Path): string
  /** The text that may be shown or compared with known names; empty when it may not. */
  shownText(path: Path): string
  problems(): readonly Problem[]
  warnings(): readonly Problem[]
}

/** A report on one file; `file` is its name as messages should show it. */
export function createReport(file: string): Report {
  const places = new Map<string, Place>()
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const broken = new Set<string>()

  const position = (path: Path, at: 'key' | 'value' = 'value'): Position => {
    for (let length = path.length; length >= 0; length -= 1) {
      const place = places.get(keyOf(path.slice(0, length)))
      if (place === undefined) continue
      return { file, ...(length < path.length || at === 'key' ? place.key : place.value) }
    }
    return { file, line: 1, column: 1 }
  }
  const shownText = (path: Path): string => {
    const place = places.get(keyOf(path))
    return place?.literal === true && path[0] !== 'secrets' ? (place.written ?? '') : ''
  }

  return {
    place: (path, place) => places.set(keyOf(path), place),
    problem(path, message, at) {
      for (let length = 0; length <= path.length; length += 1) broken.add(keyOf(path.slice(0, length)))
      problems.push({ ...position(path, at), path: settingName(path), message })
    },
    problemAt: (point, message) => problems.push({ file, ...point, path: '', message }),
    warning: (path, message) => warnings.push({ ...position(path), path: settingName(path), message }),
    isBroken: (path) => broken.has(keyOf(path)),
    position,
    quoted: (path) => quoted(places.get(keyOf(path)), path),
    shownText,
    problems: () => problems.toSorted(inFileOrder),
    warnings: () => warnings.toSorted(inFileOrder),
  }
}

function keyOf(path: Path): string {
  return JSON.stringify(path)
}

function settingName(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(part)) return `[${JSON.stringify(part)}]`
      return index === 0 ? part : `.${part}`
    })
    .join('')
}

// References are quoted as written. A literal is shortened, and a URL loses its user and password.
function quoted(place: Place | undefined, path: Path): string {
  if (path[0] === 'secrets') return 'the value'
  if (place?.written === undefined) return 'this'
  const shown = place.written.length > 80 ? `${place.written.slice(0, 80)}…` : place.written
  return JSON.stringify(shown.replace(/\/\/[^/@]*@/g, '//***@'))
}

function inFileOrder(a: Problem, b: Problem): number {
  return a.line - b.line || a.column - b.column
}
