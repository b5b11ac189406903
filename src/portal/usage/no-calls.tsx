// In the place of a chart: nothing was counted.

import type { VNode } from 'preact'
import type { PortalContext } from '../context.js'
import { EmptyState } from '../empty-state.js'

/** `whose`: what would have called. `next`: where to go from here, a path without the tenant. */
export function NoCalls({
  context,
  whose,
  next,
}: {
  context: PortalContext
  whose: 'an application' | 'the application'
  next: { path: string; text: string }
}): VNode {
  return (
    <EmptyState
      id="no-usage"
      title="No calls in this time"
      action={
        <a class="button" href={context.link(next.path)}>
          {next.text}
        </a>
      }
    >
      <p>As soon as {whose} calls an API through this gateway, its calls are counted here.</p>
    </EmptyState>
  )
}
