// Collects what is wrong while a file is read. One mistake is told once: what is only its consequence is left out.

import { createPlaces, type Path, type Places, type Point, pathKey } from '../read/places.js'
import type { Problem } from './problem.js'
import { didYouMean } from './suggest.js'

/** A name that a setting holds, and the section whose keys such names are. */
export interface NamedThing {
  /** What people call it: `upstream`. */
  what: string
  name: string
  section: Path
  known: Iterable<string>
}

export interface Report {
  places: Places
  /** The same report for another file, whose settings join those of the main one. */
  forPart(file: string): Report
  /** A mistake; nothing is loaded. It stands at the value (the default) or at the key. */
  problem(path: Path, message: string, at?: 'key' | 'value'): void
  /** A mistake at a point of the file, whatever setting that may belong to. */
  problemAt(point: Point, message: string, path?: Path): void
  /** Something that must be there is not; kept quiet when it may have been swallowed by a mistake of syntax. */
  missing(path: Path, message: string): void
  /**
   * `path` names something that its section does not have; kept quiet when only that section's own mistake hides it.
   */
  unknown(path: Path, thing: NamedThing): void
  /** Worth knowing, but loaded. */
  warning(path: Path, message: string): void
  /** A sentence about a setting that is neither; it is only put together. */
  note(path: Path, message: string): Problem
  /** From now on parts of the file may be lost, because its syntax was not whole. */
  swallowed(): void
  /** False when parts of the file may be lost. */
  isWhole(): boolean
  /** Whether something is wrong at this setting or below it. */
  isBroken(path: Path): boolean
  /** In the order of the files and their lines. */
  problems(): readonly Problem[]
  warnings(): readonly Problem[]
}

/** A report on a file and the parts that join it; `file` is its name as messages should show it. */
export function createReport(file: string): Report {
  const places = createPlaces(file)
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const broken = new Set<string>()
  const lost = new Set<string>()
  const files = [file]
  let whole = true

  const problem = (path: Path, message: string, at?: 'key' | 'value'): void => {
    for (const part of prefixes(path)) broken.add(pathKey(part))
    lost.add(pathKey(path))
    problems.push({ ...places.position(path, at), path: settingName(path), message })
  }
  const note: Report['note'] = (path, message) => ({ ...places.position(path), path: settingName(path), message })
  const problemIn =
    (file: string): Report['problemAt'] =>
    (point, message, path = []) =>
      problems.push({ file, ...point, path: settingName(path), message })
  const inOrder = (a: Problem, b: Problem) => files.indexOf(a.file) - files.indexOf(b.file) || inFileOrder(a, b)
  const report: Report = {
    places,
    problem,
    problemAt: problemIn(file),
    forPart(part) {
      files.push(part)
      return { ...report, problemAt: problemIn(part), places: { ...places, put: putInPart(places, part) } }
    },
    missing: (path, message) => (whole ? problem(path, message, 'key') : undefined),
    unknown(path, { what, name, section, known }) {
      const hint = places.shownText(path) === '' ? '' : didYouMean(name, known)
      const isHidden = prefixes([...section, name]).some((part) => lost.has(pathKey(part)))
      if (!isHidden && (whole || hint !== '')) problem(path, `there is no ${what} ${places.quoted(path)}${hint}`)
    },
    warning: (path, message) => warnings.push(note(path, message)),
    note,
    swallowed: () => {
      whole = false
    },
    isWhole: () => whole,
    isBroken: (path) => broken.has(pathKey(path)),
    problems: () => problems.toSorted(inOrder),
    warnings: () => warnings.toSorted(inOrder),
  }
  return report
}

/** What the main file has already stays where it stands there: a section that both have is the main file's. */
function putInPart(places: Places, file: string): Places['put'] {
  return (path, place) => {
    if (path.length > 1 || (path.length === 1 && !places.has(path))) places.put(path, { ...place, file })
  }
}

function prefixes(path: Path): readonly Path[] {
  return [...path, ''].map((_, length) => path.slice(0, length))
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

function inFileOrder(a: Problem, b: Problem): number {
  return a.line - b.line || a.column - b.column
}
