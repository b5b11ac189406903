// The small picture of an application in a list, decorative: its name stands beside it. It takes the same room with a
// logo and without one, before and after that is loaded.

import type { VNode } from 'preact'
import { displayName } from '../pages/display-name.js'

/** The logo, else the first letter of the name. */
export function AppIcon({
  name,
  logo,
}: {
  name: string
  logo: { path: string; width: number; height: number } | null | undefined
}): VNode {
  if (logo !== null && logo !== undefined) {
    return (
      <img
        class="app-icon"
        src={logo.path}
        width={logo.width}
        height={logo.height}
        alt=""
        loading="lazy"
        decoding="async"
      />
    )
  }
  const [letter = ''] = displayName(name).replace(/^\(/, '')
  return (
    <span class="app-icon" aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  )
}
