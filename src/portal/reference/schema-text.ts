// A JSON Schema as a developer reads it: the shape of the value, with a question mark where something may be absent.

export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  enum?: readonly unknown[]
  const?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly Schema[]
  patternProperties?: Readonly<Record<string, Schema>>
  description?: string
  minimum?: number
  maximum?: number
  maxLength?: number
}

export type Schemas = Readonly<Record<string, object>>

/** Deep enough for everything that is here, and an end for what refers to itself. */
const deepest = 8

/** Its text, over as many lines as it has properties. */
export function schemaText(schema: Schema, schemas: Schemas, indent = ''): string {
  const resolved = resolve(schema, schemas)
  if (indent.length / 2 > deepest) return '…'
  if (resolved.const !== undefined) return JSON.stringify(resolved.const)
  if (resolved.enum !== undefined) return resolved.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (resolved.anyOf !== undefined) {
    return resolved.anyOf.map((one) => schemaText(one, schemas, indent)).join(' | ')
  }
  if (resolved.items !== undefined) return `[${schemaText(resolved.items, schemas, indent)}]`
  if (resolved.properties !== undefined) return objectText(resolved, schemas, indent)
  const [other] = Object.values(resolved.patternProperties ?? {})
  if (other !== undefined) return `{ any name: ${schemaText(other, schemas, indent)} }`
  return plainText(resolved)
}

/** What a reference stands for. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : ((schemas[name] ?? {}) as Schema)
}

function objectText({ properties = {}, required = [] }: Schema, schemas: Schemas, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?'
    const note = property.description === undefined ? '' : `  // ${property.description}`
    return `${inner}${name}${mark}: ${schemaText(property, schemas, inner)}${note}`
  })
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}

function plainText({ type, minimum, maximum, maxLength }: Schema): string {
  const name = [type ?? 'anything'].flat().join(' | ')
  if (minimum !== undefined && maximum !== undefined) return `${name} (${minimum} to ${maximum})`
  return maxLength === undefined ? name : `${name} (at most ${maxLength} characters)`
}
