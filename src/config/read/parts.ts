// `include`: files beside the main one that hold a part of its rules each, so that every team can own a file. They are
// read as if they stood in the main file: nothing is defined twice, wherever it stands, and all mistakes are told
// together.

import { dirname, join, resolve } from 'node:path'
import type { Report } from '../report/report.js'
import { didYouMean } from '../report/suggest.js'
import { partSections } from '../schema/rules.js'
import { grantOf, type IncludeEntry, type PartGrant, readIncludeEntry } from './part-grants.js'
import type { PartGrants } from './part-rules.js'
import type { Path } from './places.js'
import type { ReferenceContext } from './references.js'
import { readYaml } from './source.js'

export interface PartsOptions extends Omit<ReferenceContext, 'folder' | 'part'> {
  /** The main file as messages show it, and where it is. */
  file: string
  path: string
}

/** Of one load. */
const mostParts = 1_000
const mostBytes = 16 * 1024 * 1024

export interface Whole {
  data: unknown
  grants: PartGrants
}

/**
 * The data of the main file with the parts that it includes; their mistakes go to the report, under their own names.
 */
export function withParts(data: unknown, options: PartsOptions): Whole {
  const { env, reader, report } = options
  const grants = new Map<string, PartGrant>()
  if (!isMapping(data) || !Array.isArray(data['include'])) return { data, grants }
  const whole = { ...data }
  for (const { name, entry } of partFiles(data['include'], options)) {
    const path = resolve(dirname(options.path), name)
    // As messages show the main file: relative when that is.
    const shown = name === path ? name : join(dirname(options.file), name)
    const part = report.forPart(shown)
    const grant = grantOf(entry, path, dirname(options.path))
    grants.set(shown, grant)
    const read = reader.file(path, mostBytes)
    if ('wrong' in read) {
      part.problemAt({ line: 1, column: 1 }, whyUnread(read.wrong))
      continue
    }
    const joining = { refuse: (path: Path) => whyNotHere(path, report), offset: (path: Path) => lengthOf(whole, path) }
    const found = readYaml(read.text, { env, reader, folder: dirname(path), report: part, part: grant }, joining)
    if (isMapping(found)) addTo(whole, found)
    else part.problemAt({ line: 1, column: 1 }, 'an included file is a mapping of settings')
  }
  return { data: whole, grants }
}

interface PartFile {
  name: string
  entry: IncludeEntry
}

/** By name as `include` writes them, each once and by its first entry, in the order of entries and of characters. */
function partFiles(include: readonly unknown[], { path, reader, report }: PartsOptions): PartFile[] {
  const folder = dirname(path)
  const found = new Map<string, PartFile>()
  const misnamed = new Map<string, { at: Path; name: string; pattern: string }>()
  for (const [index, given] of include.entries()) {
    const entry = readIncludeEntry(given)
    if (entry === undefined) continue
    const { pattern } = entry
    const add = (name: string) => {
      const file = resolve(folder, name)
      if (!found.has(file)) found.set(file, { name, entry })
    }
    const at = ['include', index]
    const slash = pattern.lastIndexOf('/')
    const [above, last] = [pattern.slice(0, slash + 1), pattern.slice(slash + 1)]
    if (above.includes('*') || last === '') {
      report.problem(at, 'must name files: a * may stand in the last part of the path only')
      continue
    }
    if (!last.includes('*')) {
      const read = reader.file(resolve(folder, pattern), mostBytes)
      if ('wrong' in read) report.problem(at, `${report.places.quoted(at)}: ${whyUnread(read.wrong)}`)
      else add(pattern)
      continue
    }
    const listed = reader.folder(resolve(folder, above))
    const names = 'names' in listed ? listed.names.filter(fitting(last)) : []
    if ('wrong' in listed && listed.wrong !== 'ENOENT')
      report.problem(at, `the folder cannot be read (${listed.wrong})`)
    for (const name of names) add(above + name)
    for (const name of 'names' in listed ? listed.names.filter(fitting(withOtherEnding(last))) : []) {
      misnamed.set(resolve(folder, above, name), { at, name: above + name, pattern })
    }
    if (found.size > mostParts) {
      report.problem(at, `these are more than ${mostParts} files`)
      return []
    }
  }
  for (const [file, { at, name, pattern }] of misnamed) {
    if (found.has(file) || file === path) continue
    report.warning(at, `${name} is not read: rename it to fit ${pattern}, or add an entry for it`)
  }
  found.delete(path)
  return [...found.values()]
}

function whyUnread(code: string): string {
  return UNREADABLE[code] ?? `the file cannot be read (${code})`
}

const UNREADABLE: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission to read the file is denied',
  NOT_A_FILE: 'this is no file',
  TOO_LARGE: 'the file is larger than 16 MiB',
  NOT_UTF8: 'the file is not UTF-8',
}

/** What somebody may have called a file that was to fit; a pattern without such an ending is its own. */
function withOtherEnding(pattern: string): string {
  if (pattern.endsWith('.yaml')) return `${pattern.slice(0, -'.yaml'.length)}.yml`
  return pattern.endsWith('.yml') ? `${pattern.slice(0, -'.yml'.length)}.yaml` : pattern
}

/** A `*` does not stand for the dot at the beginning of a hidden name. */
function fitting(pattern: string): (name: string) => boolean {
  const escaped = pattern.split('*').map((text) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  const expression = new RegExp(`^${escaped.join('.*')}$`)
  return (name) => expression.test(name) && (pattern.startsWith('.') || !name.startsWith('.'))
}

function whyNotHere(path: Path, report: Report): string | undefined {
  const [section = ''] = path
  if (path.length === 1 && !partSections.some((known) => known === section)) {
    const list = partSections.join(', ')
    return `does not belong in an included file, which may have ${list}${didYouMean(String(section), partSections)}`
  }
  if (path.length !== 2 || !report.places.has(path)) return undefined
  const { file, line, column } = report.places.position(path, 'key')
  return `is defined already, at ${file}:${line}:${column}`
}

function lengthOf(whole: Record<string, unknown>, path: Path): number {
  const list = path.length === 1 ? whole[String(path[0])] : undefined
  return Array.isArray(list) ? list.length : 0
}

/** What is no mapping or list in one of them is a mistake that the schema tells. */
function addTo(whole: Record<string, unknown>, part: Record<string, unknown>): void {
  for (const [section, value] of Object.entries(part)) {
    const known = whole[section]
    if (isMapping(known) && isMapping(value)) whole[section] = { ...known, ...value }
    else if (Array.isArray(known) && Array.isArray(value)) whole[section] = [...known, ...value]
    else whole[section] = value
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
