// The way back to the account page.

import type { VNode } from 'preact'

/** A link at the end of each page below /account. */
export function Back(): VNode {
  return (
    <p class="fine">
      <a id="back" href="/account">
        Back to your account
      </a>
    </p>
  )
}
