// The mark of the server, decorative: the name stands beside it.

import type { VNode } from 'preact'
import { markPaths } from '../pages/mark.js'

/** As an image in the text. */
export function Mark(): VNode {
  return (
    <svg class="mark" width="30" height="30" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path class="gate" d={markPaths.gate} />
      <path d={markPaths.bars} />
      <path d={markPaths.crossings} />
    </svg>
  )
}
