// Says on other pages that there are new redirect origins, until somebody has looked at them.

import type { VNode } from 'preact'
import { Notice } from '../../web/pages/elements.js'
import type { PortalContext } from '../context.js'
import type { NewOrigin } from './read-new-origins.js'

/** Where they are listed. */
export const newOriginsPath = '/portal/redirect-origins'

/** The notice; nothing when there are none. */
export function NewOriginsNotice({
  context,
  origins,
}: {
  context: PortalContext
  origins: readonly NewOrigin[]
}): VNode | null {
  if (origins.length === 0) return null
  const what = origins.length === 1 ? 'one new redirect origin' : `${origins.length} new redirect origins`
  return (
    <Notice id="new-origins" title="New redirect addresses">
      <p>
        There {origins.length === 1 ? 'is' : 'are'} {what} that no administrator has looked at yet.{' '}
        <a href={context.link(newOriginsPath)}>Look at {origins.length === 1 ? 'it' : 'them'}</a>
      </p>
    </Notice>
  )
}
