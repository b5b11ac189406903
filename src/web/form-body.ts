// The body of an OAuth request: form-encoded (RFC 6749 §3.2), read whole because it is small, kept as bytes until a
// handler reads its parameters.

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

/** The body as text: empty when there is none, undefined when it is not UTF-8. */
export function bodyText(body: unknown): string | undefined {
  if (!(body instanceof Uint8Array)) return ''
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}
