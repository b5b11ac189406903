// A call as one would type it: the own address, what stands for a token in a variable, and the least body that is
// accepted. Names and examples may be of a service's document, so a shell must not find anything in them.

import type { ApiOperation } from '../../management/openapi/document-types.js'
import { exampleOf } from './example.js'
import type { Schemas } from './schema-text.js'

/** The command, over several lines. `command`: curl, with what every call of it takes here. */
export function curlText(
  { method, path, operation }: { method: string; path: string; operation: ApiOperation },
  { baseUrl, schemas, command = 'curl' }: { baseUrl: string; schemas: Schemas; command?: string },
): string {
  const address = baseUrl + path.replace(/\{([^{}]+)\}/g, (_whole, name: string) => `$${variable(name)}`)
  const parts = [
    `${command}${method === 'GET' ? '' : ` -X ${method}`} "${address}${queryOf(operation, schemas)}"`,
    ...proof(operation),
  ]
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (type === undefined || body === undefined) return parts.join(' \\\n  ')
  const example = body.example ?? exampleOf(body.schema, schemas)
  if (type === 'application/x-www-form-urlencoded') {
    const fields = typeof example === 'object' && example !== null ? Object.entries(example) : []
    for (const [name, value] of fields) parts.push(`-d ${fieldOf(name, value)}`)
  } else {
    parts.push(`-H ${quoted(`Content-Type: ${type}`)}`)
    parts.push(/[/+]json\b/.test(type) ? `-d ${quoted(JSON.stringify(example))}` : '--data-binary @file')
  }
  return parts.join(' \\\n  ')
}

/** What has to be in the query, with something that fits. */
function queryOf({ parameters = [] }: ApiOperation, schemas: Schemas): string {
  const needed = parameters.filter((one) => one.in === 'query' && one.required)
  const words = needed.map(({ name, schema, example }) => {
    const value = example ?? exampleOf(schema ?? {}, schemas)
    const isKnown = ['string', 'number', 'boolean'].includes(typeof value) && value !== '…'
    return `${encodeURIComponent(name)}=${isKnown ? encodeURIComponent(String(value)) : `$${variable(name)}`}`
  })
  return words.length === 0 ? '' : `?${words.join('&').replace(/[!'()*]/g, escaped)}`
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function proof({ security }: ApiOperation): string[] {
  const [scheme] = Object.keys(security[0] ?? {})
  if (scheme === 'client') return ['-u "$CLIENT_ID:$CLIENT_SECRET"']
  if (scheme === 'registration') return ['-H "Authorization: Bearer $REGISTRATION_TOKEN"']
  return scheme === undefined || scheme === 'session' ? [] : ['-H "Authorization: Bearer $TOKEN"']
}

function fieldOf(name: string, value: unknown): string {
  if (value === '…' && /^\w+$/.test(name)) return `${name}="$${variable(name)}"`
  const text = `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
  return /^[\w.:/=-]+$/.test(text) ? text : quoted(text)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** `keyId` as the name of a variable of a shell. */
function variable(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toUpperCase()
}
