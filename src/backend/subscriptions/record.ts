// What the operations on one subscription have in common: its id in the path, and the one way to change it.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { isGuid } from '../guid.js'
import type { BackendContext } from '../operations.js'
import type { SubscriptionPair } from '../source.js'

/** Lost races that are retried before a change gives up. */
const maxAttempts = 4

/** One subscription in one tenant. */
export interface RecordKey {
  tenantId: string
  id: string
}

/** The id in the path in its canonical spelling. What is not a GUID names nothing: 404, as for another tenant's. */
export function recordId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  const canonical = id.toLowerCase()
  if (!isGuid(canonical)) throw notFound()
  return canonical
}

/**
 * Looks at the record and writes, only if it has not changed in between; else looks again. `write` throws ApiError when
 * the change may not be made to what it is shown, and answers undefined when the source refused it because the version
 * was gone. Throws ApiError 404, and 409 when others kept being faster.
 */
export async function changeRecord<Result>(
  { source }: BackendContext,
  key: RecordKey,
  write: (pair: SubscriptionPair, at: RecordKey & { version: number }) => Promise<Result | undefined>,
): Promise<Result> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const pair = await source.findSubscription(key.tenantId, key.id)
    if (pair === undefined) throw notFound()
    const result = await write(pair, { ...key, version: pair.subscription.version })
    if (result !== undefined) return result
  }
  throw new ApiError(409, 'ConcurrentChange', 'The subscription kept changing; try again.')
}

/** One answer for what does not exist, is deleted, or is another tenant's. */
export function notFound(): ApiError {
  return new ApiError(404, 'NotFound', 'There is no such record.')
}
