// Entity tags (RFC 9110 §8.8.3, §13.1): of two people who change the same thing at once, the later one hears of it. A
// tag is made of the answer, without what changes by itself; it is compared in the transaction that writes.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { onlyIf } from '../../directory/actor.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { Statements } from '../../storage/sql/store.js'

/** What use and time do to a thing is no change that anybody would want to hear of. */
const volatile = new Set(['lastUsedAt', 'lastSignInAt', 'safeToDelete'])

/** The strong tag of an answer, with its quotes. */
export function entityTag(answer: unknown): string {
  const text = JSON.stringify(answer, (key, value: unknown) => (volatile.has(key) ? undefined : value))
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
}

/** Sends the answer with its tag, or 304 to a client that has it. */
export function sendTagged<T>(request: FastifyRequest, reply: FastifyReply, answer: T): T | FastifyReply {
  const tag = entityTag(answer)
  reply.header('etag', tag)
  const known = request.headers['if-none-match']
  // A GET compares weakly (§13.1.2).
  return known !== undefined && lists(known.replaceAll('W/"', '"'), tag) ? reply.code(304).send() : answer
}

/**
 * `writes`, which then refuse with 412 unless the thing is still as the caller's If-Match says. `read` gives its answer
 * inside the transaction. Without If-Match they are as they were.
 */
export function unlessChanged<Writes extends DirectoryWrites>(
  writes: Writes,
  request: FastifyRequest,
  read: (tx: Statements) => Promise<unknown>,
): Writes {
  const wanted = request.headers['if-match']
  if (wanted === undefined) return writes
  return onlyIf(writes, async (tx) => {
    if (lists(wanted, entityTag(await read(tx)))) return
    throw new ApiError(412, 'PreconditionFailed', 'It was changed meanwhile: look at it again.', { target: 'If-Match' })
  })
}

/** Whether a header field of tags has this one; `*` has all. */
function lists(field: string, tag: string): boolean {
  return field.split(',').some((one) => one.trim() === tag || one.trim() === '*')
}
