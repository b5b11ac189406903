// $orderby (OData 4.01 URL conventions §5.1.4) on displayName and state.

import { ApiError } from '../../http/answers/api-error.js'
import type { SortKey } from '../../storage/sql/resources/subscription-lists.js'

const keyPattern = /^ *(state|displayName)(?: +(asc|desc))? *$/

/**
 * The complete order of a list: what $orderby says, then the unique id, so that every row has one place and a page can
 * go on exactly after another. Without $orderby the oldest come first. Throws ApiError 400.
 */
export function parseOrderBy(value: string | undefined): SortKey[] {
  const keys =
    value === undefined ? [{ field: 'createdAt', direction: 'asc' } as const] : value.split(',').map(parseKey)
  if (new Set(keys.map((key) => key.field)).size !== keys.length) throw refusal()
  // In the direction of what stands before it: then one index serves the order both ways.
  return [...keys, { field: 'id', direction: keys.at(-1)?.direction ?? 'asc' }]
}

function parseKey(text: string): SortKey {
  const [, field, direction] = keyPattern.exec(text) ?? []
  if (field !== 'state' && field !== 'displayName') throw refusal()
  return { field, direction: direction === 'desc' ? 'desc' : 'asc' }
}

function refusal(): ApiError {
  return new ApiError(400, 'InvalidOrderBy', '$orderby lists displayName and state, each once, with asc or desc.', {
    target: '$orderby',
  })
}
