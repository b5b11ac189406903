// A value for a schema, to have something to send: what its document gives as an example, else the least that fits.

import { resolve, type Schema, type Schemas } from './schema-text.js'

const deepest = 6
const mostProperties = 50
/** Schemas that may be looked at for one value: they refer to each other as they like. */
const mostSchemas = 500

/** JSON; `…` stands for a text that only the reader knows. */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  return make(schema, { schemas, depth: 0, room: { left: mostSchemas } })
}

interface Place {
  schemas: Schemas
  depth: number
  room: { left: number }
}

function make(schema: Schema, place: Place): unknown {
  const { room, depth, schemas } = place
  room.left -= 1
  if (depth > deepest || room.left < 0) return null
  const { examples, default: usual, enum: values, const: only, ...rest } = resolve(schema, schemas)
  const given = [examples?.[0], only, usual, values?.[0]].find((value) => value !== undefined)
  if (given !== undefined) return given
  const { anyOf, oneOf, allOf } = rest
  const inner = { ...place, depth: depth + 1 }
  const one = anyOf?.[0] ?? oneOf?.[0]
  if (one !== undefined) return make(one, inner)
  if (allOf === undefined) return plain(rest, inner)
  const { allOf: _parts, ...own } = rest
  const all = [...allOf.slice(0, mostProperties), { ...own, type: 'object' }].map((part) => make(part, inner))
  return Object.assign({}, ...all.filter((part) => typeof part === 'object'))
}

function plain({ type, properties = {}, required = [], minimum }: Schema, inner: Place): unknown {
  const [kind] = [type ?? (required.length > 0 ? 'object' : 'string')].flat()
  if (kind === 'object') {
    const property = (name: string) => (Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {})
    return Object.fromEntries(required.slice(0, mostProperties).map((name) => [name, make(property(name), inner)]))
  }
  if (kind === 'array') return []
  if (kind === 'boolean') return true
  return kind === 'integer' || kind === 'number' ? (minimum ?? 1) : '…'
}
