// Plans in a line of text.

import { rateText } from '../../../config/process/rate-text.js'
import type { Plan } from '../../calls/plan-calls.js'

type Limit = Plan['limits'][number]

/** `daily 1000/day, application 600/min (200 at once); 50 under way`. */
export function limitsText({ limits, concurrent }: Pick<Plan, 'limits' | 'concurrent'>): string {
  const each = limits.map((limit) => `${limit.name} ${numbersOf(limit)}`).join(', ')
  const underWay = concurrent === null ? '' : `${concurrent} under way`
  return [each, underWay].filter((text) => text !== '').join('; ') || 'the limits of the routes'
}

/** `1000/day`; of a rate also how many at once. */
export function numbersOf({ limit, periodSeconds, burst }: Limit): string {
  const text = rateText(limit, periodSeconds)
  return burst === null ? text : `${text} (${burst} at once)`
}
