// The body of an OAuth request: form-encoded (RFC 6749 §3.2), read whole because it is small, kept as bytes until a
// handler reads its parameters.

import { isAscii } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** The type alone or with charset=utf-8; anything that only looks like it is another type. */
const formType = /^application\/x-www-form-urlencoded(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i

/** Whether a Content-Type header names the one media type that these endpoints read. */
export function isFormContentType(value: string | undefined): boolean {
  return value !== undefined && formType.test(value)
}

/** Makes a scope keep bodies as bytes, whatever their type says: the type was checked before. */
export function keepBodiesAsBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

/**
 * The body when all of it has come and nobody has begun to read it, which is how small ones come, right behind their
 * head: without a listener, a timer or a promise. Its announced length says that it is whole: Node hands bytes over
 * before it says that they were the last. Undefined when some are missing, when they are more than `mostBytes`, or
 * without an announced length: then it is read as others are.
 */
export function takeWholeBody(request: IncomingMessage, mostBytes: number): Buffer | undefined {
  if (request.readableFlowing !== null || request.headers['transfer-encoding'] !== undefined) return undefined
  const announced = Number(request.headers['content-length'])
  if (!(announced > 0 && announced <= mostBytes) || request.readableLength !== announced) return undefined
  return request.read() as Buffer
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The body as text: empty when there is none, undefined when it is not UTF-8. */
export function bodyText(body: unknown): string | undefined {
  if (!(body instanceof Uint8Array)) return ''
  // Nearly all are, and need no decoder.
  if (Buffer.isBuffer(body) && isAscii(body)) return body.toString('latin1')
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}
