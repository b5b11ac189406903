// In which state an API is, as a tag beside its name.

import type { VNode } from 'preact'
import type { CatalogueApi } from '../../management/api-catalogue/catalogue-schemas.js'
import { date } from '../dates.js'

/** Nothing for one that simply is there. */
export function StateTag({ api: { state, sunset } }: { api: Pick<CatalogueApi, 'state' | 'sunset'> }): VNode | null {
  if (state === 'current' && sunset === null) return null
  const words = { current: 'Some of it ends', 'partly-deprecated': 'Partly deprecated', deprecated: 'Deprecated' }
  return (
    <span class="tag warn">
      {words[state]}
      {sunset === null ? '' : `: from ${dayOf(sunset)} on`}
    </span>
  )
}

/** A day of the document as people read it. */
export function dayOf(day: string): string {
  return date(Date.parse(`${day}T00:00:00Z`))
}
