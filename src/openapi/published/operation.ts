// One operation of a service's document as readers get it: what it is for, takes and answers. What proves the caller is
// not in it, for that is the gate's to say.

import { isMapping, type Mapping, resolved } from '../document-part.js'
import { NoDescription } from '../service-description.js'
import type { PublishedAnswer, PublishedMedia, PublishedOperation, PublishedParameter } from './publication.js'
import type { PublishedSchemas } from './schemas.js'
import { type Allowance, jsonOf, lineOf, textOf } from './text.js'

export interface PublishingContext {
  document: Mapping
  schemas: PublishedSchemas
  allowance: Allowance
}

const mostParameters = 100
const mostTypes = 10
const mostAnswers = 40
/** Said elsewhere in a document, or between the gate and the client. */
const ownHeaders = new Set(['accept', 'content-type', 'authorization', 'cookie'])
const mediaType = /^[\w!#$&^.+*-]{1,100}\/[\w!#$&^.+*-]{1,100}(; ?[\w=.+"-]{1,60})?$/
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/
const styles: ReadonlySet<unknown> = new Set([
  ...['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
])

/** Writes it. `item` is the path's, for what all its operations have. */
export function publishedOperation(context: PublishingContext, item: Mapping, operation: Mapping): PublishedOperation {
  const { allowance } = context
  const [summary, description] = [lineOf(operation['summary']), textOf(operation['description'])]
  allowance.take(200 + (summary?.length ?? 0) + (description?.length ?? 0))
  return {
    summary,
    description,
    deprecated: operation['deprecated'] === true,
    parameters: parametersOf(context, [item['parameters'], operation['parameters']]),
    body: bodyOf(context, operation['requestBody']),
    answers: answersOf(context, operation['responses']),
  }
}

/** The later lists say more. */
function parametersOf(context: PublishingContext, given: readonly unknown[]): PublishedParameter[] {
  const found = new Map<string, PublishedParameter>()
  for (const one of given.flatMap((list) => (Array.isArray(list) ? list : [])).slice(0, mostParameters)) {
    const parameter = mappingOf(context, one)
    const { in: place, name } = parameter ?? {}
    if (parameter === undefined || typeof name !== 'string' || name === '' || name.length > 200) continue
    if (place !== 'path' && place !== 'query' && place !== 'header') continue
    if (place === 'header' && (!token.test(name) || ownHeaders.has(name.toLowerCase()))) continue
    found.set(
      `${place} ${place === 'header' ? name.toLowerCase() : name}`,
      parameterOf(context, parameter, place, name),
    )
  }
  return [...found.values()]
}

function parameterOf(
  context: PublishingContext,
  parameter: Mapping,
  place: PublishedParameter['in'],
  name: string,
): PublishedParameter {
  const description = textOf(parameter['description'])
  context.allowance.take(60 + name.length + (description?.length ?? 0))
  const { style, explode, content } = parameter
  const [written] = isMapping(content) ? Object.entries(contentOf(context, content)) : []
  return {
    name,
    in: place,
    required: place === 'path' || parameter['required'] === true,
    ...(description === undefined ? {} : { description }),
    ...(parameter['deprecated'] === true ? { deprecated: true as const } : {}),
    ...(written === undefined
      ? {
          ...(styles.has(style) ? { style: style as string } : {}),
          ...(typeof explode === 'boolean' ? { explode } : {}),
          schema: context.schemas.write(parameter['schema']),
          ...exampleOf(context, parameter),
        }
      : { content: Object.fromEntries([written]) }),
  }
}

function bodyOf(context: PublishingContext, given: unknown): PublishedOperation['body'] {
  const body = mappingOf(context, given)
  if (body === undefined || !isMapping(body['content'])) return undefined
  const content = contentOf(context, body['content'])
  const description = textOf(body['description'])
  if (Object.keys(content).length === 0) return undefined
  return {
    required: body['required'] === true,
    ...(description === undefined ? {} : { description }),
    content,
  }
}

function answersOf(context: PublishingContext, given: unknown): PublishedOperation['answers'] {
  if (!isMapping(given)) return {}
  const entries = Object.entries(given)
    .filter(([status]) => /^([1-5](\d\d|XX)|default)$/.test(status))
    .slice(0, mostAnswers)
    .map(([status, one]): [string, PublishedAnswer] => {
      const answer = mappingOf(context, one) ?? {}
      const description = textOf(answer['description']) ?? ''
      context.allowance.take(40 + description.length)
      const headers = headersOf(context, answer['headers'])
      const content = isMapping(answer['content']) ? contentOf(context, answer['content']) : {}
      return [
        status,
        {
          description,
          ...(Object.keys(headers).length === 0 ? {} : { headers }),
          ...(Object.keys(content).length === 0 ? {} : { content }),
        },
      ]
    })
  return Object.fromEntries(entries)
}

function headersOf(context: PublishingContext, given: unknown): Record<string, object> {
  if (!isMapping(given)) return {}
  const entries = Object.entries(given)
    .filter(([name]) => token.test(name) && name.toLowerCase() !== 'content-type')
    .slice(0, mostParameters)
    .flatMap(([name, one]): [string, object][] => {
      const header = mappingOf(context, one)
      if (header === undefined || !context.allowance.take(name.length)) return []
      const description = textOf(header['description'])
      const schema = context.schemas.write(header['schema'])
      return [[name, { ...(description === undefined ? {} : { description }), schema }]]
    })
  return Object.fromEntries(entries)
}

function contentOf(context: PublishingContext, content: Mapping): Record<string, PublishedMedia> {
  const entries = Object.entries(content)
    .filter(([type]) => mediaType.test(type))
    .slice(0, mostTypes)
    .map(([type, one]): [string, PublishedMedia] => {
      const media = mappingOf(context, one) ?? {}
      return [type, { schema: context.schemas.write(media['schema']), ...exampleOf(context, media) }]
    })
  return Object.fromEntries(entries)
}

/** `example`, or the first one of `examples`. */
function exampleOf(context: PublishingContext, { example, examples }: Mapping): { example?: unknown } {
  const [first] = isMapping(examples) ? Object.values(examples) : []
  const named = mappingOf(context, first)?.['value']
  const value = jsonOf(example === undefined ? named : example, context.allowance)
  return value === undefined ? {} : { example: value }
}

/** What it is or refers to within the document; undefined when that is nothing. */
function mappingOf({ document }: PublishingContext, value: unknown): Mapping | undefined {
  if (!isMapping(value)) return undefined
  try {
    const found = resolved(document, { value, at: '#' }).value
    return isMapping(found) ? found : undefined
  } catch (error) {
    if (error instanceof NoDescription) return undefined
    throw error
  }
}
