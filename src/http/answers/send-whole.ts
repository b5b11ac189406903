// A whole answer past Fastify's own way to send one: serializers, hooks and streams that an answer which lies here as
// text has no use for. It has the fields that were set on the reply, and those that every answer has.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../requests/request-context.js'
import { durationField } from './duration.js'
import { endWith } from './one-write.js'

/** The head's fields as a flat name, value list, without Content-Length. The head counts as written now. */
export function headFields(request: FastifyRequest, reply: FastifyReply): string[] {
  const { requestId, startedAt, entry } = requestContext(request)
  entry.headAt = performance.now()
  const fields: string[] = []
  const set = reply.getHeaders()
  for (const name of Object.keys(set)) fields.push(name, String(set[name]))
  fields.push('request-id', requestId, 'duration', durationField(entry.headAt - startedAt))
  return fields
}

/**
 * Sends `body` in one piece, with status 200 if no other is named. For a request whose body has been read, and fields
 * that stand in the head once each. Does nothing when the request was answered meanwhile.
 */
export function sendWhole(request: FastifyRequest, reply: FastifyReply, body: string, status = 200): void {
  const { raw } = reply
  if (raw.headersSent || raw.destroyed) return void reply.hijack()
  const fields = headFields(request, reply)
  reply.hijack()
  const length = Buffer.byteLength(body)
  fields.push('content-length', String(length))
  raw.writeHead(status, fields)
  if (length === 0) raw.end()
  else endWith(raw, length === body.length ? body : Buffer.from(body))
}
