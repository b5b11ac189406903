// The JSON Schema of the file, in two uses: the plain one for our own check after references were resolved, and the one
// for editors, which must also let `${NAME}` and `file:/path` stand where a number or a word is expected.

import type { SchemaObject } from 'ajv'
import { ConfigurationFile } from '../schema/file.js'

/** The schema for values: settings that have a default are not required. */
export function plainSchema(): SchemaObject {
  const { default: _empty, ...schema } = mapped(ConfigurationFile, withoutNeedless) as SchemaObject
  return schema
}

/** Text of config/portcullis.schema.json. */
export function editorSchemaText(): string {
  const schema = mapped(plainSchema(), forEditors) as SchemaObject
  const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'portcullis.yaml' }
  const reference = { type: 'string', pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}|^file:.' }
  return `${JSON.stringify({ ...head, ...schema, definitions: { reference } }, undefined, 2)}\n`
}

function mapped(schema: unknown, change: (schema: SchemaObject) => SchemaObject): unknown {
  if (Array.isArray(schema)) return schema.map((item) => mapped(item, change))
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'default' ? value : mapped(value, change)]),
  )
  return isSchema(copy) ? change(copy) : copy
}

// Below `properties` stand names, of which one may be `type`; a schema has a keyword of a fitting kind.
function isSchema(value: Record<string, unknown>): value is SchemaObject {
  return typeof value['type'] === 'string' || Array.isArray(value['anyOf'])
}

function withoutNeedless(schema: SchemaObject): SchemaObject {
  if (!Array.isArray(schema['required'])) return schema
  const { required, ...rest } = schema
  const needed = required.filter((name: string) => schema['properties'][name].default === undefined)
  return needed.length === 0 ? rest : { ...rest, required: needed }
}

function forEditors({ between, errorMessage, ...schema }: SchemaObject): SchemaObject {
  const message = errorMessage === undefined ? {} : { errorMessage }
  const isPlainText = schema['type'] === 'string' && schema['pattern'] === undefined && schema['enum'] === undefined
  if (['object', 'array'].includes(schema['type']) || isPlainText || schema['anyOf'] !== undefined) {
    return { ...schema, ...message }
  }
  const { description, default: value, ...check } = schema
  const shown = { ...(description ? { description } : {}), ...(value === undefined ? {} : { default: value }) }
  return { ...shown, anyOf: [check, { $ref: '#/definitions/reference' }], ...message }
}
