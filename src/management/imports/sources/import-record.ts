// One object of a file that another product wrote, read field by field. Which fields nobody read is known afterwards,
// so that nothing of it is lost without a word.

import { RegistrationProblem } from '../../registrations/problem.js'

/**
 * Characters of a text or of a field's name. What is converted puts texts together, each with many others, so the bounds
 * of the whole document do not bound what comes out of two long ones.
 */
const longestText = 4_096
/** Texts that are lists or documents: taken apart, and put together with nothing. */
const longFields: readonly string[] = ['jwks.string', 'post.logout.redirect.uris', 'scope']

export interface ImportRecord {
  /** Where it stands in the file, such as `clients[3]`. */
  readonly path: string
  /** A text; empty when it is absent or null. */
  text(field: string): string
  /** A text that must be there. */
  required(field: string): string
  /** True or false, also written as a text; false when it is absent or null. */
  flag(field: string): boolean
  /** A list of texts; empty when it is absent or null. */
  texts(field: string): string[]
  /** A list of objects; empty when it is absent or null. */
  records(field: string): ImportRecord[]
  /** An object; one without fields when it is absent or null. */
  record(field: string): ImportRecord
  /** Whatever it is. */
  value(field: string): unknown
  /** Marks fields as read. */
  skip(fields: readonly string[]): void
  /** The fields that say something and were not read. */
  unread(): string[]
}

/** Reads `value`. The record throws RegistrationProblem, naming the field, where something is not of the expected kind. */
export function importRecord(value: unknown, path: string): ImportRecord {
  if (!isObject(value)) throw malformed(path, 'an object')
  for (const field of Object.keys(value)) if (field.length > longestText) throw tooLong(path, 'a name of a field')
  const read = new Set<string>()
  const get = (field: string): unknown => {
    read.add(field)
    return Object.hasOwn(value, field) ? (value[field] ?? undefined) : undefined
  }
  const at = (field: string) => (path === '' ? field : `${path}.${field}`)
  return {
    path,
    value: get,
    text: (field) => asText(get(field), at(field), longFields.includes(field)),
    required: (field) => asText(get(field), at(field)) || missing(at(field)),
    flag: (field) => asFlag(get(field), at(field)),
    texts: (field) => asList(get(field), at(field)).map((one, index) => asText(one, `${at(field)}[${index}]`)),
    records: (field) => asList(get(field), at(field)).map((one, index) => importRecord(one, `${at(field)}[${index}]`)),
    record: (field) => importRecord(get(field) ?? {}, at(field)),
    skip: (fields) => {
      for (const field of fields) read.add(field)
    },
    unread: () => Object.keys(value).filter((field) => !read.has(field) && saysSomething(value[field])),
  }
}

function missing(path: string): never {
  throw new RegistrationProblem('what_was_said', `the file is not what it should be: ${path} is missing`)
}

function asText(value: unknown, path: string, mayBeLong = false): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw malformed(path, 'a text')
  if (value.length > longestText && !mayBeLong) throw tooLong(path, 'a text')
  return value
}

function asFlag(value: unknown, path: string): boolean {
  if (value === undefined || value === '') return false
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw malformed(path, 'true or false')
}

function asList(value: unknown, path: string): unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw malformed(path, 'a list')
  return value
}

/** False, nothing, 0 and what is empty through and through say nothing. */
function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isObject(value)) return Object.values(value).some(saysSomething)
  return value !== undefined && value !== null && value !== false && value !== 'false' && value !== '' && value !== 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function tooLong(path: string, what: string): RegistrationProblem {
  const place = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const message = `the file is not what it should be: ${place || 'the whole'} has ${what} of more than ${longestText} characters`
  return new RegistrationProblem('what_was_said', message)
}

function malformed(path: string, expected: string): RegistrationProblem {
  return new RegistrationProblem(
    'what_was_said',
    `the file is not what it should be: ${path || 'the whole'} is not ${expected}`,
  )
}
