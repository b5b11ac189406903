// Whether a request is as the OpenAPI document of its service says (decision 0079): its head as soon as it may go on, a
// JSON body when it has come whole. Only routes that say `validate` come here.

import type { IncomingMessage } from 'node:http'
import { isJson } from '../../openapi/operations.js'
import type { SchemaCheck, ServiceDescription } from '../../openapi/service-description.js'
import type { Refusal } from '../errors.js'
import { readJson } from './json-text.js'
import { parameterProblems, stepsFor } from './parameters.js'
import { invalidRequest, notDescribed, type Problem, unsupportedType } from './problem.js'

/** A request as its service would get it. */
export interface DescribedRequest {
  request: Pick<IncomingMessage, 'method' | 'headersDistinct'>
  /** Canonical. */
  path: string
  query: string | undefined
  withBody: boolean
}

/** The head is good; with `checkBody` the body has to be read whole and checked too. */
export interface GoodHead {
  kind: 'good'
  checkBody: SchemaCheck | undefined
}

/** Judges all but the body. */
export function checkHead(description: ServiceDescription, described: DescribedRequest): GoodHead | Refusal {
  const { request, path, query, withBody } = described
  const found = description.find(request.method ?? '', path)
  if (found === undefined) return notDescribed()
  const problems = parameterProblems(found, request, query)
  const { body } = found.operation
  if (withBody && body === undefined) problems.push({ target: 'body', message: 'has no place here' })
  if (!withBody && body?.required === true) problems.push({ target: 'body', message: 'is missing' })
  if (problems.length > 0) return invalidRequest(problems)
  if (!withBody || body === undefined) return { kind: 'good', checkBody: undefined }
  const type = mediaType(request)
  const check = type === undefined ? undefined : body.ofType(type.essence)
  if (type === undefined || check === undefined) return unsupportedType()
  if (!isJson(type.essence)) return { kind: 'good', checkBody: undefined }
  return type.isPlain ? { kind: 'good', checkBody: check } : unsupportedType()
}

/** Judges a whole JSON body; undefined: it is good. */
export function checkJsonBody(bytes: Buffer, check: SchemaCheck): Refusal | undefined {
  const read = readJson(bytes)
  if ('wrong' in read) return invalidRequest([{ target: 'body', message: read.wrong }])
  const wrong = check(read.value, stepsFor(bytes.length))
  if (wrong === undefined) return undefined
  const problem: Problem = { target: wrong.pointer === '' ? 'body' : `#${wrong.pointer}`, message: wrong.message }
  return invalidRequest([problem])
}

const mediaTypeField =
  /^([a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+)[ \t]*((?:;[ \t]*[a-z0-9!#$%&'*+.^_`|~-]+=(?:[^\s;,"]+|"[^";\\]*")[ \t]*)*);?$/i

/** RFC 9110 §8.3.1. `isPlain`: neither compressed nor in another character set. Undefined: none that all read alike. */
function mediaType({
  headersDistinct,
}: DescribedRequest['request']): { essence: string; isPlain: boolean } | undefined {
  const [field, ...more] = headersDistinct['content-type'] ?? []
  const found = field === undefined || more.length > 0 ? null : mediaTypeField.exec(field)
  if (found === null) return undefined
  const charsets = [...(found[2] ?? '').matchAll(/;[ \t]*charset="?([^";\s]*)/gi)].map(([, charset]) => charset)
  const isUtf8 = charsets.every((charset) => charset?.toLowerCase() === 'utf-8')
  const isPlain = isUtf8 && headersDistinct['content-encoding'] === undefined
  return { essence: (found[1] ?? '').toLowerCase(), isPlain }
}
