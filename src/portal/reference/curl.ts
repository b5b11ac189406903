// A call as one would type it: the own address, what stands for a token in a variable, and the least body that is
// accepted.

import type { ApiOperation } from '../../management/openapi/document-types.js'
import { resolve, type Schema, type Schemas } from './schema-text.js'

/** The command, over several lines. */
export function curlText(
  { method, path, operation }: { method: string; path: string; operation: ApiOperation },
  { baseUrl, schemas }: { baseUrl: string; schemas: Schemas },
): string {
  const address = baseUrl + path.replace(/\{(\w+)\}/g, (_whole, name: string) => `$${variable(name)}`)
  const parts = [`curl${method === 'GET' ? '' : ` -X ${method}`} "${address}"`, ...proof(operation)]
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (type === 'application/json' && body !== undefined) {
    parts.push(`-H 'Content-Type: application/json'`)
    parts.push(`-d '${JSON.stringify(example(body.schema, schemas))}'`)
  }
  if (type === 'application/x-www-form-urlencoded' && body !== undefined) {
    const fields = Object.entries(example(body.schema, schemas) as Record<string, unknown>)
    for (const [name, value] of fields) parts.push(`-d ${name}=${String(value).replace('…', `"$${variable(name)}"`)}`)
  }
  return parts.join(' \\\n  ')
}

function proof({ security }: ApiOperation): string[] {
  const [scheme] = Object.keys(security[0] ?? {})
  if (scheme === 'client') return ['-u "$CLIENT_ID:$CLIENT_SECRET"']
  if (scheme === 'registration') return ['-H "Authorization: Bearer $REGISTRATION_TOKEN"']
  return scheme === undefined || scheme === 'session' ? [] : ['-H "Authorization: Bearer $TOKEN"']
}

/** `keyId` as the name of a variable of a shell. */
function variable(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()
}

/** What the schema gives as one; else the required properties alone, each with a value of its kind. */
function example(schema: Schema, schemas: Schemas): unknown {
  const [given] = resolve(schema, schemas).examples ?? []
  if (given !== undefined) return given
  const { type, properties = {}, required = [], enum: values, const: only, anyOf, minimum } = resolve(schema, schemas)
  if (only !== undefined) return only
  if (values !== undefined) return values[0]
  if (anyOf?.[0] !== undefined) return example(anyOf[0], schemas)
  if (type === 'object') {
    return Object.fromEntries(required.map((name) => [name, example(properties[name] ?? {}, schemas)]))
  }
  if (type === 'array') return []
  if (type === 'boolean') return true
  return type === 'integer' || type === 'number' ? (minimum ?? 1) : '…'
}
