// A JSON Schema as a developer reads it: the shape of the value, with a question mark where something may be absent. It
// may be one that a service wrote, so what comes of it is bounded.

export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  not?: Schema
  patternProperties?: Readonly<Record<string, Schema>>
  additionalProperties?: Schema | boolean
  description?: string
  deprecated?: boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

export type Schemas = Readonly<Record<string, object>>

/** Deep enough for everything that is here, and an end for what refers to itself. */
const deepest = 8
/** Of one text. Where it ends early, the document has the rest. */
const longest = 20_000

interface Place {
  schemas: Schemas
  indent: string
  /** Names of the schemas that this one is part of. */
  within: readonly string[]
  /** Characters. */
  room: { left: number }
}

/** Its text, over as many lines as it has properties. */
export function schemaText(schema: Schema, schemas: Schemas): string {
  return textOf(schema, { schemas, indent: '', within: [], room: { left: longest } })
}

/** What a reference stands for. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = nameOf(schema)
  return name === undefined || !Object.hasOwn(schemas, name) ? schema : (schemas[name] as Schema)
}

function textOf(schema: Schema, place: Place): string {
  const name = nameOf(schema)
  if (name !== undefined && place.within.includes(name)) return name.split('_').at(-1) ?? name
  if (place.indent.length / 2 > deepest || place.room.left < 0) return '…'
  const inside = name === undefined ? place : { ...place, within: [...place.within, name] }
  const text = kindOf(resolve(schema, place.schemas), inside)
  place.room.left -= text.length
  return text
}

function kindOf(schema: Schema, place: Place): string {
  const { const: only, enum: values, items, properties, patternProperties, additionalProperties: others } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  const one = schema.anyOf ?? schema.oneOf
  if (one !== undefined) return [...new Set(one.map((each) => textOf(each, place)))].join(' | ')
  if (schema.allOf !== undefined && place.room.left >= 0) return kindOf(together(schema, place), place)
  if (items !== undefined) return `[${textOf(items, place)}]`
  if (properties !== undefined && Object.keys(properties).length > 0) return objectText(schema, place)
  const [other] = Object.values(patternProperties ?? {})
  const named = other ?? (typeof others === 'object' ? others : undefined)
  if (named !== undefined) return `{ any name: ${textOf(named, place)} }`
  return plainText(schema)
}

/** All parts of an object as one; of other words the last one counts. */
function together(
  { allOf = [], ...own }: Schema,
  { schemas, room }: Pick<Place, 'schemas' | 'room'>,
  depth = 0,
): Schema {
  const flat = [...allOf, own].map((part): Schema => {
    room.left -= 10
    const found = resolve(part, schemas)
    const isWhole = found.allOf === undefined || depth > deepest || room.left < 0
    return isWhole ? found : together(found, { schemas, room }, depth + 1)
  })
  const all: Schema = Object.assign({}, ...flat.map(({ allOf: _parts, ...part }) => part))
  const properties = Object.assign({}, ...flat.map((part) => part.properties ?? {}))
  const required = flat.flatMap((part) => part.required ?? [])
  return { ...all, ...(Object.keys(properties).length === 0 ? {} : { properties }), required }
}

function objectText({ properties = {}, required = [] }: Schema, place: Place): string {
  const inner = { ...place, indent: `${place.indent}  ` }
  const lines = Object.entries(properties).map(([name, property]) => {
    if (place.room.left < 0) return undefined
    const mark = required.includes(name) ? '' : '?'
    const { deprecated } = property
    const said = [deprecated === true ? 'deprecated' : '', property.description?.replace(/\s+/g, ' ')]
    const note = said.filter(Boolean).join('; ')
    return `${inner.indent}${name}${mark}: ${textOf(property, inner)}${note === '' ? '' : `  // ${note}`}`
  })
  const shown = lines.filter((line) => line !== undefined)
  if (shown.length < lines.length) shown.push(`${inner.indent}…`)
  return `{\n${shown.join('\n')}\n${place.indent}}`
}

function plainText({ type, format, minimum, maximum, minLength, maxLength }: Schema): string {
  const name = [type ?? 'anything'].flat().join(' | ')
  const notes = [
    format ?? '',
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    minimum !== undefined && maximum === undefined ? `at least ${minimum}` : '',
    minimum === undefined && maximum !== undefined ? `at most ${maximum}` : '',
    minLength !== undefined && minLength > 1 ? `at least ${minLength} characters` : '',
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
  ].filter(Boolean)
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1)
}
