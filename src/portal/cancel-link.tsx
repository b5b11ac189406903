// The way out of a form that asks once more, beside its button.

import type { VNode } from 'preact'
import type { PortalContext } from './context.js'

/** Goes back to `to`, a path without the tenant. */
export function CancelLink({ context, to }: { context: PortalContext; to: string }): VNode {
  return (
    <a class="button plain" id="cancel" href={context.link(to)}>
      Leave it as it is
    </a>
  )
}
