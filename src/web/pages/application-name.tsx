// An application by its name, where a page says for what somebody signs in: with what anybody can vouch for (identity
// L2).

import type { VNode } from 'preact'
import { hasLookalikes } from '../../naming/scripts.js'
import { displayName } from './display-name.js'

export interface ShownApplication {
  name: string
  /** Whether an operator vouches for its publisher. */
  verified: boolean
  /** What the organisation that registered it is called. */
  home: string
}

/** `before`: what the page does with it, such as “Signing in to”. */
export function ApplicationName({ application, before }: { application: ShownApplication; before?: string }): VNode {
  const { name, verified, home } = application
  return (
    <span>
      {before === undefined ? null : `${before} `}
      <strong id="application">
        <bdi>{displayName(name)}</bdi>
      </strong>
      {hasLookalikes(name) ? ' (letters of this name look like others: look twice)' : ''}{' '}
      <span class={verified ? 'tag good' : 'tag warn'} id="verified">
        {verified ? 'Verified' : 'Unverified'}
      </span>
      <br />
      <span class="fine" id="registered-by">
        Registered by <bdi>{displayName(home)}</bdi>
      </span>
    </span>
  )
}
