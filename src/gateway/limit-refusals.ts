// Refusals by limits: which limit it was, what it allows, and when to come back.

import { ApiError } from '../http/answers/api-error.js'
import { limitHeaders } from '../limits/headers.js'
import type { LimitDecision } from '../limits/limiter.js'
import { refusalSentence, refusingLimit } from '../limits/refusal-words.js'
import type { Refusal } from './errors.js'

/** 429 with the limiter's fields (contract §6), and the limit that refused in words and numbers. */
export function tooManyRequests(decision: LimitDecision): Refusal {
  const headers = Object.fromEntries(limitHeaders(decision))
  const limit = refusingLimit(decision)
  const more = limit === undefined ? {} : { more: { limit } }
  const message =
    limit === undefined ? 'Too many requests; Retry-After says when to come back.' : refusalSentence(limit)
  const error = new ApiError(429, 'TooManyRequests', message, { headers, ...more })
  return { kind: 'refused', reason: 'rate_limited', error }
}

/** 429 for the requests that a plan lets be under way at once. */
export function tooManyUnderWay({ plan, most }: { plan: string | null; most: number }): Refusal {
  const whose = plan === null ? 'This application may have' : `The plan ${plan} lets an application have`
  const message = `${whose} ${most} requests under way at once; send the next when some of them have been answered.`
  const headers = { 'retry-after': '1' }
  const limit = { name: 'concurrent', plan, by: ['application'], kind: 'concurrent', limit: most, retryAfterSeconds: 1 }
  const error = new ApiError(429, 'TooManyRequests', message, { headers, more: { limit } })
  return { kind: 'refused', reason: 'plan_in_flight', error }
}
