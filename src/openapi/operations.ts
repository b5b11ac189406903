// The operations of a document: for each the parameters that requests can be checked for, and the types of bodies.

import { below, isMapping, type Mapping, type Part, resolved } from './document-part.js'
import type { SchemaChecks } from './schema-checks.js'
import type { Schemas } from './schemas.js'
import {
  type DescribedBody,
  type DescribedOperation,
  type DescribedParameter,
  NoDescription,
} from './service-description.js'

export interface OperationsContext {
  document: Mapping
  schemas: Schemas
  checks: SchemaChecks
}

const verbs = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const
/** They are said elsewhere in a document, or by the gate itself. */
const ownHeaders = new Set(['accept', 'content-type', 'authorization', 'cookie'])
const anything = true

/** By path as it is written there: the operations by upper-case method. Throws NoDescription. */
export function describedOperations(context: OperationsContext): Map<string, ReadonlyMap<string, DescribedOperation>> {
  const { document } = context
  const paths = document['paths']
  if (!isMapping(paths) || Object.keys(paths).length === 0) throw new NoDescription('it describes no paths')
  return new Map(
    Object.entries(paths)
      .filter(([path]) => path.startsWith('/'))
      .map(([path, given]) => {
        const item = resolved(document, { value: given, at: below('#/paths', path) })
        return [path, operationsOf(item, context)]
      }),
  )
}

function operationsOf(item: Part, context: OperationsContext): ReadonlyMap<string, DescribedOperation> {
  const of = mappingOf(item)
  const shared = parametersOf({ value: of['parameters'], at: below(item.at, 'parameters') }, context)
  return new Map(
    verbs.flatMap((verb) => {
      if (of[verb] === undefined) return []
      const at = below(item.at, verb)
      const operation = mappingOf({ value: of[verb], at })
      const own = parametersOf({ value: operation['parameters'], at: below(at, 'parameters') }, context)
      const parameters = [...new Map([...shared, ...own]).values()]
      const body = bodyOf({ value: operation['requestBody'], at: below(at, 'requestBody') }, context)
      return [[verb.toUpperCase(), { parameters, body }] as const]
    }),
  )
}

function parametersOf({ value, at }: Part, context: OperationsContext): Map<string, DescribedParameter> {
  if (value === undefined) return new Map()
  if (!Array.isArray(value)) throw new NoDescription(`${at}: this is no list`)
  return new Map(
    value.flatMap((one: unknown, index) => {
      const part = resolved(context.document, { value: one, at: below(at, index) })
      const parameter = mappingOf(part)
      const place = parameter['in']
      if (typeof parameter['name'] !== 'string') throw new NoDescription(`${part.at}: a parameter has a name`)
      const name = place === 'header' ? parameter['name'].toLowerCase() : parameter['name']
      // Cookies are between the browser and the service.
      if (place !== 'path' && place !== 'query' && place !== 'header') return []
      if (place === 'header' && ownHeaders.has(name)) return []
      return [[`${place} ${name}`, { in: place, name, ...detailsOf(parameter, part.at, place, context) }] as const]
    }),
  )
}

function detailsOf(
  parameter: Mapping,
  at: string,
  place: DescribedParameter['in'],
  context: OperationsContext,
): Omit<DescribedParameter, 'in' | 'name'> {
  const required = parameter['required'] === true
  const { content } = parameter
  if (isMapping(content)) {
    const [type = ''] = Object.keys(content)
    const media = mappingOf({ value: content[type], at: below(at, 'content', type) })
    const check = checkOf({ value: media['schema'], at: below(at, 'content', type, 'schema') }, context)
    return { required, form: isJson(type) ? 'json' : 'there', check, checkItem: check }
  }
  const schema = { value: parameter['schema'], at: below(at, 'schema') }
  const check = checkOf(schema, context)
  const meant = resolved(context.document, schema)
  const types = isMapping(meant.value) ? [meant.value['type']].flat() : []
  if (!types.includes('array')) {
    const isObject = types.includes('object') || (isMapping(meant.value) && meant.value['properties'] !== undefined)
    return { required, form: isObject ? 'there' : 'one', check, checkItem: check }
  }
  const items = isMapping(meant.value) ? meant.value['items'] : undefined
  const checkItem = checkOf({ value: items, at: below(meant.at, 'items') }, context)
  return { required, form: listForm(parameter, place), check, checkItem }
}

function listForm({ style, explode }: Mapping, place: DescribedParameter['in']): DescribedParameter['form'] {
  if (place !== 'query') return style === undefined || style === 'simple' ? { separator: ',' } : 'there'
  if (style === 'spaceDelimited') return { separator: ' ' }
  if (style === 'pipeDelimited') return { separator: '|' }
  if (style !== undefined && style !== 'form') return 'there'
  return explode === false ? { separator: ',' } : 'repeated'
}

function bodyOf(part: Part, context: OperationsContext): DescribedBody | undefined {
  if (part.value === undefined) return undefined
  const found = resolved(context.document, part)
  const body = mappingOf(found)
  const content = mappingOf({ value: body['content'], at: below(found.at, 'content') })
  const checks = new Map(
    Object.entries(content).map(([type, media]) => {
      const at = below(found.at, 'content', type)
      const schema = { value: mappingOf({ value: media, at })['schema'], at: below(at, 'schema') }
      return [essenceOf(type), checkOf(schema, context)]
    }),
  )
  return {
    required: body['required'] === true,
    ofType: (type) => checks.get(type) ?? checks.get(`${type.split('/')[0]}/*`) ?? checks.get('*/*'),
  }
}

function checkOf({ value, at }: Part, { schemas, checks }: OperationsContext) {
  return checks.of(schemas.reference(value ?? anything, at))
}

function mappingOf({ value, at }: Part): Mapping {
  if (!isMapping(value)) throw new NoDescription(`${at}: this is no mapping`)
  return value
}

function essenceOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

/** Whether bodies of a media type are JSON (RFC 6839 §3.1); by its essence in lower case. */
export function isJson(type: string): boolean {
  return /^(application|text)\/json$/.test(type) || /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+\+json$/.test(type)
}
