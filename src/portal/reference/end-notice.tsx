// That an operation will end: since when one should not use it, from when on it may be gone, and where that is explained.

import type { VNode } from 'preact'
import type { ApiOperation } from '../../management/openapi/document-types.js'
import { date } from '../dates.js'

/** Nothing for an operation that stays. */
export function EndNotice({ operation }: { operation: ApiOperation }): VNode | null {
  const { deprecated, operationId, 'x-end': end } = operation
  if (deprecated !== true && end === undefined) return null
  const since = end?.deprecated === undefined ? '' : ` since ${dayOf(end.deprecated)}`
  return (
    <p class="ends" id={`end-${operationId}`}>
      {deprecated === true ? `Deprecated${since}: build nothing new on it. ` : null}
      {end?.sunset === undefined ? null : `It may be gone from ${dayOf(end.sunset)} on. `}
      {end?.link === undefined ? null : (
        <a href={end.link} rel="noreferrer">
          What to use instead
        </a>
      )}
    </p>
  )
}

function dayOf(day: string): string {
  return date(Date.parse(`${day}T00:00:00Z`))
}
