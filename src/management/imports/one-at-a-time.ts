// One import of a tenant and of a caller at a time in this instance, and few of all: each holds its document in memory.
// A tenant that imports over and over waits for its share of each minute, so that others find a place. Imports at other
// instances are told apart by the names that they register (ifNameIsFree).

import { ApiError } from '../../http/answers/api-error.js'

const mostAtOnce = 4
const minuteMs = 60_000
/** Of each minute, that the looks and imports of one tenant may take: longer than the longest import. */
const shareMs = 30_000

interface UnderWay {
  /** Of tenants and callers. */
  running: Set<string>
  /** By tenant: when its minute began, epoch milliseconds, and how long it has worked in it. */
  used: Map<string, { since: number; ms: number }>
}

const underWay = new WeakMap<object, UnderWay>()

export interface Turn {
  /** What all transports of an instance share. */
  instance: object
  tenantId: string
  /** A person or an application; undefined: the local socket. */
  callerId: string | undefined
  /** Epoch milliseconds. */
  now: () => number
}

/** Runs `work`. Throws ApiError 409, 429 and 503 at once. */
export async function oneAtATime<T>({ instance, tenantId, callerId, now }: Turn, work: () => Promise<T>): Promise<T> {
  const state = underWay.get(instance) ?? { running: new Set(), used: new Map() }
  underWay.set(instance, state)
  const mine = [`tenant ${tenantId}`, ...(callerId === undefined ? [] : [`caller ${callerId}`])]
  if (mine.some((each) => state.running.has(each))) {
    const message = 'An import into this tenant, or one of yours, is under way: try again when it has ended.'
    throw new ApiError(409, 'ImportUnderWay', message, { headers: { 'retry-after': '5' } })
  }
  const share = shareOf(state, tenantId, now())
  if (share.ms >= shareMs) throw tooOften(Math.ceil((share.since + minuteMs - now()) / 1000))
  if ([...state.running].filter((each) => each.startsWith('tenant ')).length >= mostAtOnce) {
    const message = 'This server does as many imports at once as it can: try again.'
    throw new ApiError(503, 'ServiceUnavailable', message, { headers: { 'retry-after': '5' } })
  }
  for (const each of mine) state.running.add(each)
  const begun = now()
  try {
    return await work()
  } finally {
    for (const each of mine) state.running.delete(each)
    const after = shareOf(state, tenantId, now())
    state.used.set(tenantId, { since: after.since, ms: after.ms + Math.max(0, now() - begun) })
  }
}

/** Minutes that are over are forgotten, of every tenant, so that no more are kept than import within one. */
function shareOf({ used }: UnderWay, tenantId: string, nowMs: number): { since: number; ms: number } {
  for (const [each, { since }] of used) if (nowMs >= since + minuteMs || nowMs < since) used.delete(each)
  return used.get(tenantId) ?? { since: nowMs, ms: 0 }
}

function tooOften(seconds: number): ApiError {
  const message = 'Imports of this tenant have taken their share of this minute: try again in the next.'
  return new ApiError(429, 'TooManyRequests', message, { headers: { 'retry-after': String(Math.max(1, seconds)) } })
}
