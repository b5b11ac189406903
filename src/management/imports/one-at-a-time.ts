// One import of a tenant at a time in this instance, and few of all tenants: each holds its document in memory. Imports
// at other instances are told apart by the names that they register (ifNameIsFree).

import { ApiError } from '../../http/answers/api-error.js'

const mostAtOnce = 4
const underWay = new WeakMap<object, Set<string>>()

/** Runs `work`. `instance`: what all transports of an instance share. Throws ApiError 409 and 503 at once. */
export async function oneAtATime<T>(instance: object, tenantId: string, work: () => Promise<T>): Promise<T> {
  const running = underWay.get(instance) ?? new Set()
  underWay.set(instance, running)
  if (running.has(tenantId)) {
    const message = 'An import into this tenant is under way: try again when it has ended.'
    throw new ApiError(409, 'ImportUnderWay', message, { headers: { 'retry-after': '5' } })
  }
  if (running.size >= mostAtOnce) {
    const message = 'This server does as many imports at once as it can: try again.'
    throw new ApiError(503, 'ServiceUnavailable', message, { headers: { 'retry-after': '5' } })
  }
  running.add(tenantId)
  try {
    return await work()
  } finally {
    running.delete(tenantId)
  }
}
