// Schemas of an OpenAPI document in the words of JSON Schema 2020-12: those of OpenAPI 3.0 mean a little else by some
// words. Each schema that is referred to becomes a definition of its own, so circles are no matter; what only describes
// is left out, and what would be understood wrongly is refused.

import { below, isMapping, type Mapping, referredTo, resolved } from './document-part.js'
import { UnsupportedPattern } from './pattern-translation.js'
import type { Patterns } from './patterns.js'
import { NoDescription } from './service-description.js'

export interface Schemas {
  /** What to compile for the schema at this place. Throws NoDescription. */
  reference(schema: unknown, at: string): string
  /** All that were referred to, for one root schema. */
  definitions(): Readonly<Record<string, unknown>>
}

const plain = [
  ...['type', 'enum', 'const', 'format', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems', 'uniqueItems', 'maxContains', 'minContains'],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired'],
]
const single = [
  ...['not', 'items', 'contains', 'additionalProperties', 'propertyNames', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', 'patternProperties', 'dependentSchemas']
/** They change what references mean, or are references that depend on the way that led to them. */
const unsupported = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor']

/** Formats that are checked; the others only describe. */
export const checkedFormats = new Set(['int32', 'int64', 'uuid', 'date', 'date-time', 'ipv4', 'ipv6'])

const mostSchemas = 200_000
const mostDepth = 64

/** `old`: the document is OpenAPI 3.0. `patterns` gets all that are referred to. */
export function createSchemas(document: Mapping, old: boolean, patterns: Patterns): Schemas {
  const names = new Map<string, string>()
  const definitions: Record<string, unknown> = {}
  const waiting: { name: string; schema: unknown; at: string }[] = []
  let count = 0
  const nameOf = (schema: unknown, at: string): string => {
    const known = names.get(at)
    if (known !== undefined) return known
    const name = `#/$defs/s${names.size}`
    names.set(at, name)
    waiting.push({ name, schema, at })
    return name
  }
  const converted = (schema: unknown, at: string, depth: number): unknown => {
    count++
    if (count > mostSchemas || depth > mostDepth)
      throw new NoDescription(`${at.slice(0, 200)}: this grows too large or too deep`)
    if (typeof schema === 'boolean') return schema
    if (!isMapping(schema)) throw new NoDescription(`${at}: this is no schema`)
    const word = unsupported.find((word) => typeof schema[word] === 'string')
    if (word !== undefined) throw new NoDescription(`${at}: ${word} is not understood here`)
    checkPatterns(schema, at, patterns)
    const reference = schema['$ref']
    const target = reference === undefined ? undefined : referredTo(document, reference, at)
    const link = target === undefined ? {} : { $ref: nameOf(target.value, target.at) }
    // In OpenAPI 3.0 nothing counts beside a reference.
    if (target !== undefined && old) return link
    const next = (part: unknown, ...path: readonly (string | number)[]) =>
      converted(part, below(at, ...path), depth + 1)
    const out: Record<string, unknown> = { ...link }
    for (const word of plain) if (schema[word] !== undefined) out[word] = schema[word]
    for (const word of single) if (schema[word] !== undefined) out[word] = next(schema[word], word)
    for (const word of lists) {
      const list = schema[word]
      if (list !== undefined) out[word] = arrayOf(list, below(at, word)).map((part, index) => next(part, word, index))
    }
    for (const word of maps) {
      const map = schema[word]
      if (map === undefined) continue
      if (!isMapping(map)) throw new NoDescription(`${below(at, word)}: this is no mapping`)
      out[word] = Object.fromEntries(Object.entries(map).map(([name, part]) => [name, next(part, word, name)]))
    }
    return adjusted(out, schema, old)
  }
  /** What only answers have need not be in requests. */
  const adjusted = (out: Record<string, unknown>, schema: Mapping, old: boolean): Record<string, unknown> => {
    const { properties } = schema
    if (Array.isArray(out['required']) && isMapping(properties)) {
      const isReadOnly = (name: unknown) => {
        const property = Object.hasOwn(properties, String(name)) ? properties[String(name)] : undefined
        const { value } = resolved(document, { value: property, at: '' })
        return [property, value].some((one) => isMapping(one) && one['readOnly'] === true)
      }
      out['required'] = out['required'].filter((name) => !isReadOnly(name))
    }
    if (!checkedFormats.has(String(out['format']))) delete out['format']
    return old ? asOldMeant(out, schema) : out
  }
  return {
    reference(schema, at) {
      const name = nameOf(schema, at)
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        // The step is counted first, whatever else is found.
        const own = converted(next.schema, next.at, 0)
        definitions[next.name.slice('#/$defs/'.length)] = { allOf: [{ step: true }, own] }
      }
      return name
    },
    definitions: () => definitions,
  }
}

function checkPatterns(schema: Mapping, at: string, patterns: Patterns): void {
  const { pattern, patternProperties } = schema
  const written = [
    ...(pattern === undefined ? [] : [{ source: pattern, place: below(at, 'pattern') }]),
    ...Object.keys(patternProperties ?? {}).map((source) => ({
      source,
      place: below(at, 'patternProperties', source),
    })),
  ]
  for (const { source, place } of written) {
    try {
      if (typeof source !== 'string') throw new SyntaxError()
      patterns.of(source)
    } catch (error) {
      const isUnsupported = error instanceof UnsupportedPattern
      if (!isUnsupported && !(error instanceof SyntaxError)) throw error
      throw new NoDescription(
        `${place.slice(0, 500)}: ${isUnsupported ? error.message : 'this is no regular expression'}`,
      )
    }
  }
}

/** `nullable`, and bounds that exclude themselves by a flag. */
function asOldMeant(out: Record<string, unknown>, schema: Mapping): Record<string, unknown> {
  if (schema['nullable'] === true && typeof out['type'] === 'string') out['type'] = [out['type'], 'null']
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof out[flag] !== 'boolean') continue
    if (out[flag] === true && out[bound] !== undefined) {
      out[flag] = out[bound]
      delete out[bound]
    } else delete out[flag]
  }
  return out
}

function arrayOf(list: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(list)) throw new NoDescription(`${at}: this is no list`)
  return list
}
