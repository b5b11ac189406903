// An application by its name, where a page says for what somebody signs in: with what anybody can vouch for (identity
// L2).

import type { VNode } from 'preact'
import { hasLookalikes } from '../../naming/scripts.js'
import { useTexts } from '../language/texts.js'
import { displayName } from './display-name.js'

export interface ShownApplication {
  name: string
  /** Whether an operator vouches for its publisher. */
  verified: boolean
  /** What the organisation that registered it is called; undefined: nobody did. */
  home: string | undefined
}

/** `isSignIn`: the page is about signing in to it, and says so. */
export function ApplicationName({
  application,
  isSignIn = false,
}: {
  application: ShownApplication
  isSignIn?: boolean
}): VNode {
  const { name, verified, home } = application
  const { frame } = useTexts()
  const shown = (
    <strong id="application">
      <bdi>{displayName(name)}</bdi>
    </strong>
  )
  return (
    <span>
      {isSignIn ? frame.signingInTo(shown) : shown}
      {hasLookalikes(name) ? ` ${frame.lookalikes}` : ''}{' '}
      <span class={verified ? 'tag good' : 'tag warn'} id="verified">
        {verified ? frame.verified : frame.unverified}
      </span>
      <br />
      <span class="fine" id="registered-by">
        {home === undefined ? frame.notRegistered : frame.registeredBy(<bdi>{displayName(home)}</bdi>)}
      </span>
    </span>
  )
}
