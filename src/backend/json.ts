// JSON in and out. In: the media type and the length are checked before the body is read, the bytes must be UTF-8, and
// the object strict: every field that does not belong is named at once. Out: exactly the Content-Type that the contract
// names, which needs bytes, because Fastify adds a charset to text.

import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { Check } from 'typebox/value'
import { ApiError, type ApiErrorDetail } from '../http/answers/api-error.js'
import { operations } from './operations.js'

/** How many of the problems of a body are listed. */
const maxDetails = 20

const jsonType = /^application\/json *(?:; *charset="?utf-8"? *)?$/i

/** Makes a Fastify instance read JSON bodies and nothing else; call it once, after identifyCallers. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    parse(body),
  )
  app.addHook('onRequest', async (request) => {
    const { operation } = request.routeOptions.config
    if (operation === undefined) return
    const known = operations[operation]
    if ('body' in known) checkBodyHeaders(request, known.body === 'sized-json')
  })
}

/**
 * A JSON body as its schema types it. `readOnly`: fields that exist but are not the caller's to set. Throws ApiError
 * 400.
 */
export function readBody<Schema extends TObject>(
  schema: Schema,
  readOnly: readonly string[],
  body: unknown,
): Static<Schema> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError(400, 'InvalidBody', 'The body must be a JSON object.')
  }
  const fields = body as Record<string, unknown>
  const problems = [
    ...Object.keys(fields).flatMap((name) => fieldProblem(schema, readOnly, name, fields[name])),
    ...(schema.required ?? [])
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => ({ code: 'MissingProperty', message: `${name} is required.`, target: name })),
  ]
  if (problems.length > 0) throw bodyRefusal(problems)
  return fields as Static<Schema>
}

/** Sends `value` as JSON with exactly this Content-Type. */
export function answerJson(
  reply: FastifyReply,
  status: number,
  value: unknown,
  contentType = 'application/json',
): FastifyReply {
  return reply
    .code(status)
    .header('content-type', contentType)
    .send(Buffer.from(JSON.stringify(value)))
}

function checkBodyHeaders(request: FastifyRequest, sized: boolean): void {
  const { headers } = request
  const coding = headers['content-encoding']
  if (!jsonType.test(headers['content-type'] ?? '') || (coding !== undefined && coding !== 'identity')) {
    throw new ApiError(415, 'UnsupportedMediaType', 'Send the body as application/json, in UTF-8 and not compressed.', {
      // RFC 5789 §3.1, RFC 9110 §12.5.1 (as a response field): what would be accepted.
      headers: request.method === 'PATCH' ? { 'accept-patch': 'application/json' } : { accept: 'application/json' },
    })
  }
  if (sized && headers['content-length'] === undefined) {
    throw new ApiError(411, 'LengthRequired', 'Send a Content-Length.')
  }
}

function parse(body: Buffer): unknown {
  if (!isUtf8(body)) throw new ApiError(400, 'InvalidJson', 'The body is not UTF-8.')
  try {
    return JSON.parse(body.toString())
  } catch (cause) {
    throw new ApiError(400, 'InvalidJson', 'The body is not valid JSON.', { cause })
  }
}

function fieldProblem(schema: TObject, readOnly: readonly string[], name: string, value: unknown): ApiErrorDetail[] {
  const target = name.slice(0, 64)
  if (readOnly.includes(name)) return [{ code: 'ReadOnlyProperty', message: `${name} is read-only.`, target }]
  const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
  if (property === undefined) return [{ code: 'UnknownProperty', message: 'There is no such property here.', target }]
  if (Check(property, value)) return []
  const expected = 'description' in property ? String(property.description) : 'valid'
  return [{ code: 'InvalidProperty', message: `${name} must be ${expected}.`, target }]
}

function bodyRefusal(problems: readonly ApiErrorDetail[]): ApiError {
  const codes = new Set(problems.map((problem) => problem.code))
  const code = codes.size === 1 ? (problems[0]?.code ?? 'InvalidBody') : 'InvalidBody'
  const names = problems.slice(0, maxDetails).map((problem) => problem.target)
  return new ApiError(400, code, `The body has properties that cannot be accepted: ${names.join(', ')}.`, {
    details: problems.slice(0, maxDetails),
  })
}
