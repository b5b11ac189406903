// Schemas of a service's document as they go on to readers, in the words of OpenAPI 3.1: what describes is kept too, and
// what is not understood means anything. Each schema that is referred to is a component, under a name of its own.
// Nothing here throws: a document that requests are checked by may hold any mistake beside.

import { isMapping, type Mapping, referredTo } from '../document-part.js'
import { NoDescription } from '../service-description.js'
import { type Allowance, jsonOf, lineOf, textOf } from './text.js'

export interface PublishedSchemas {
  /** The schema, with references to components. */
  write(schema: unknown): object
  /** The components that were referred to, by name. */
  components(): Record<string, object>
}

const numbers = [
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength'],
  ...['maxItems', 'minItems', 'maxProperties', 'minProperties', 'maxContains', 'minContains'],
]
const flags = ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']
const words = ['format', 'contentEncoding', 'contentMediaType']
const single = [
  ...['not', 'items', 'contains', 'additionalProperties', 'propertyNames', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', 'patternProperties', 'dependentSchemas']
const types: ReadonlySet<unknown> = new Set([...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']])

const mostDepth = 24
const mostNames = 500
/** Of one object; what says something of all others is left out where there are more. */
const mostProperties = 500
const aboutOthers = ['additionalProperties', 'unevaluatedProperties']
const longestPattern = 500

/** `prefix`: what the names of components begin with, letters and digits. `old`: the document is OpenAPI 3.0. */
export function publishedSchemas(
  document: Mapping,
  { prefix, old, allowance }: { prefix: string; old: boolean; allowance: Allowance },
): PublishedSchemas {
  const names = new Map<string, string>()
  const written = new Map<string, object>()
  const waiting: { name: string; schema: unknown }[] = []
  const nameOf = (reference: string): string => {
    const known = names.get(reference)
    if (known !== undefined) return known
    const word = (reference.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9]+/g, '').slice(0, 80)
    const taken = new Set(names.values())
    let name = `${prefix}_${word}`
    for (let count = 2; taken.has(name); count++) name = `${prefix}_${word}${count}`
    names.set(reference, name)
    return name
  }
  const refer = (reference: unknown): object => {
    try {
      const { value, at } = referredTo(document, reference, '#')
      const isNew = !names.has(at)
      if (isNew && names.size >= mostNames) return {}
      const name = nameOf(at)
      if (isNew) waiting.push({ name, schema: value })
      return { $ref: `#/components/schemas/${name}` }
    } catch (error) {
      if (error instanceof NoDescription) return {}
      throw error
    }
  }
  const write = (schema: unknown, depth: number): object => {
    if (schema === false) return { not: {} }
    if (!isMapping(schema) || depth > mostDepth || !allowance.take(20)) return {}
    const next = (part: unknown) => write(part, depth + 1)
    if (schema['$ref'] !== undefined) {
      const description = old ? undefined : spent(textOf(schema['description']), allowance)
      return { ...refer(schema['$ref']), ...(description === undefined ? {} : { description }) }
    }
    const out = new Map<string, unknown>(plainWords(schema, allowance))
    for (const word of single) if (isSchema(schema[word])) out.set(word, next(schema[word]))
    for (const word of lists) {
      const list = schema[word]
      if (Array.isArray(list) && list.length > 0) out.set(word, list.slice(0, 100).map(next))
    }
    for (const word of maps) {
      const map = schema[word]
      if (!isMapping(map)) continue
      // A property of that name is one that tools take for a reference.
      const entries = Object.entries(map).filter(
        ([name]) => name.length <= 200 && name !== '$ref' && (word !== 'patternProperties' || isPattern(name)),
      )
      if (entries.length > mostProperties) for (const other of aboutOthers) out.delete(other)
      const kept = entries.slice(0, mostProperties).filter(([name]) => allowance.take(name.length))
      out.set(word, Object.fromEntries(kept.map(([name, part]) => [name, next(part)])))
    }
    return Object.fromEntries(old ? asNowMeant(out, schema) : out)
  }
  return {
    write(schema) {
      const own = write(schema, 0)
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) written.set(one.name, write(one.schema, 0))
      return own
    },
    components: () => Object.fromEntries(written),
  }
}

/** The words of a schema that have no schema in them. */
function* plainWords(schema: Mapping, allowance: Allowance): Generator<[string, unknown]> {
  const given = [schema['type']].flat().filter((type) => types.has(type))
  if (given.length > 0) yield ['type', given.length === 1 ? given[0] : [...new Set(given)]]
  const [title, description] = [lineOf(schema['title']), textOf(schema['description'])]
  if (title !== undefined && allowance.take(title.length)) yield ['title', title]
  if (description !== undefined && allowance.take(description.length)) yield ['description', description]
  for (const word of numbers) if (Number.isFinite(schema[word])) yield [word, schema[word]]
  for (const word of flags) if (schema[word] === true) yield [word, true]
  for (const word of words) {
    const text = lineOf(schema[word])
    if (text !== undefined) yield [word, text]
  }
  const { pattern, required } = schema
  if (isPattern(pattern)) yield ['pattern', pattern]
  if (Array.isArray(required)) {
    const named = required.filter((name) => typeof name === 'string' && name.length <= 200)
    if (named.length > 0 && allowance.take(named.join().length)) yield ['required', [...new Set(named)]]
  }
  yield* values(schema, allowance)
}

/** What is said by values: those that there are, and examples. */
function* values(schema: Mapping, allowance: Allowance): Generator<[string, unknown]> {
  for (const word of ['const', 'default']) {
    const value = schema[word] === undefined ? undefined : jsonOf(schema[word], allowance)
    if (value !== undefined) yield [word, value]
  }
  // A part of an enum would say that the others are none of it.
  const { enum: all } = schema
  if (Array.isArray(all) && all.length > 0 && all.length <= 200) {
    const kept = all.map((one: unknown) => jsonOf(one, allowance))
    if (!kept.includes(undefined)) yield ['enum', kept]
  }
  const given = Array.isArray(schema['examples']) ? schema['examples'] : [schema['example']]
  const examples = given.slice(0, 5).flatMap((one: unknown) => {
    const copy = one === undefined ? undefined : jsonOf(one, allowance)
    return copy === undefined ? [] : [copy]
  })
  if (examples.length > 0) yield ['examples', examples]
}

/** What OpenAPI 3.0 says otherwise: `nullable`, and bounds that exclude themselves by a flag. */
function asNowMeant(out: Map<string, unknown>, schema: Mapping): Map<string, unknown> {
  if (schema['nullable'] === true && typeof out.get('type') === 'string') out.set('type', [out.get('type'), 'null'])
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (schema[flag] !== true || !out.has(bound)) continue
    out.set(flag, out.get(bound))
    out.delete(bound)
  }
  return out
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isMapping(value)
}

/** One that readers' programs can compile; nothing here runs it. */
function isPattern(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > longestPattern) return false
  try {
    return new RegExp(value, 'u') !== undefined
  } catch {
    return false
  }
}

function spent(text: string | undefined, allowance: Allowance): string | undefined {
  return text !== undefined && allowance.take(text.length) ? text : undefined
}
