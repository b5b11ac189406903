// The shape of the file against the schema: unknown keys, wrong kinds, wrong units, values out of range, missing
// settings.

import type { ErrorObject, SchemaObject, ValidateFunction } from 'ajv'
import { fileCheck } from '../check/file-check.js'
import type { Report } from '../report/report.js'
import { didYouMean, nearestName } from '../report/suggest.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { Path } from './places.js'
import { branchErrors } from './schema-branches.js'

/** A validator's error with the path of the setting that it is about. */
interface Finding extends ErrorObject {
  path: Path
}

/**
 * Checks data against the schema, fills in defaults, and takes out what is wrong after reporting it, so that the rest
 * can be judged too. A text becomes a number or a flag where one is expected: variables are always texts.
 */
export function validate(data: unknown, report: Report): ConfigurationFile {
  const file = isMapping(data) ? data : {}
  if (data !== undefined && !isMapping(data)) report.problem([], 'the file must be a mapping of settings')
  const check = fileCheck()
  for (const path of reportShape(check, file, [], report)) prune(file, path)
  // Once more, for the defaults of what was taken out.
  check(file)
  return file as ConfigurationFile
}

/** Reports everything in `data`, which stands at `root` of the file, that the schema does not allow; answers where. */
export function reportShape(check: ValidateFunction, data: unknown, root: Path, report: Report): readonly Path[] {
  check(data)
  const findings: readonly Finding[] = branchErrors(check.errors ?? [])
    .filter((error) => error.propertyName === undefined)
    .map((error) => ({ ...error, path: [...root, ...pathOf(error, data)] }))
  const guessed = new Set<string>()
  for (const finding of findings) if (finding.keyword === 'additionalProperties') unknownKey(finding, report, guessed)
  for (const finding of findings) {
    if (finding.keyword === 'additionalProperties') continue
    if (finding.keyword !== 'required') wrongValue(finding, report)
    else missingKey(finding, report, guessed)
  }
  return findings.map(({ path }) => path)
}

function unknownKey({ path, parentSchema }: Finding, report: Report, guessed: Set<string>): void {
  const name = String(path.at(-1))
  const known = Object.keys(parentSchema?.['properties'] ?? {})
  const meant = nearestName(name, known)
  if (meant !== undefined) guessed.add(JSON.stringify([...path.slice(0, -1), meant]))
  // After a mistake of syntax a setting may only seem to stand here; one with a near name is more than that.
  if (!report.isWhole() && meant === undefined) return
  report.problem(path, `there is no such setting${didYouMean(name, known)}`, 'key')
}

// A misspelt or empty setting was already reported under the name that it has.
function missingKey({ path, parentSchema }: Finding, report: Report, guessed: Set<string>): void {
  if (guessed.has(JSON.stringify(path)) || report.isBroken(path)) return
  const name = String(path.at(-1))
  const description: unknown = parentSchema?.['properties']?.[name]?.description
  const meaning = typeof description === 'string' ? `: ${description}` : ''
  report.missing(path.slice(0, -1), `needs ${JSON.stringify(name)}${meaning}`)
}

function wrongValue({ path, keyword, parentSchema }: Finding, report: Report): void {
  if (report.isBroken(path)) return
  const schema = parentSchema as SchemaObject
  if (keyword === 'propertyNames') {
    report.problem(path, schema['propertyNames'].errorMessage, 'key')
    return
  }
  const expected: string = schema['errorMessage'] ?? EXPECTED[String(schema['type'])] ?? 'is not valid'
  const words: readonly string[] = keyword === 'enum' ? schema['enum'] : wordsOf(schema)
  const hint = didYouMean(report.places.shownText(path), words)
  const found = COUNTS.has(keyword) ? '' : `; not ${report.places.quoted(path)}`
  report.problem(path, `${expected}${found}${hint}`)
}

// What is wrong is how many there are; a list was expected and found.
const COUNTS = new Set(['minItems', 'maxItems', 'uniqueItems', 'maxProperties'])

function wordsOf(schema: SchemaObject): readonly string[] {
  const branches: readonly SchemaObject[] = schema['anyOf'] ?? []
  return branches.flatMap((branch) => branch['enum'] ?? [])
}

const EXPECTED: Record<string, string> = {
  object: 'must be a group of settings',
  array: 'must be a list',
  string: 'must be a text',
}

const NAMED: Record<string, string> = {
  additionalProperties: 'additionalProperty',
  required: 'missingProperty',
  propertyNames: 'propertyName',
}

function pathOf({ instancePath, keyword, params }: ErrorObject, file: unknown): Path {
  const path: (string | number)[] = []
  let value = file
  for (const part of instancePath.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(value) ? Number(name) : name)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  }
  const named: unknown = params[NAMED[keyword] ?? '']
  return typeof named === 'string' ? [...path, named] : path
}

// Inside a list nothing can be taken out without renumbering the rest: the list goes as a whole.
function prune(file: Record<string, unknown>, path: Path): void {
  let parent = file
  for (const part of path.slice(0, -1)) {
    const next: unknown = parent[part]
    if (!isMapping(next)) {
      if (Array.isArray(next)) delete parent[part]
      return
    }
    parent = next
  }
  const last = path.at(-1)
  if (last !== undefined) delete parent[last]
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
