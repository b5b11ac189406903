// Whether applications that exist become what the export says.

import type { VNode } from 'preact'

/** The checkbox. */
export function UpdateChoice({ checked }: { checked: boolean }): VNode {
  return (
    <label class="choice" for="update">
      <input type="checkbox" id="update" name="update" value="yes" checked={checked} />
      <span class="what">
        <span class="name">Change applications that exist</span>
        <span class="soft">
          One of the same name becomes what the export says, and keeps its private keys. Otherwise it is left alone.
        </span>
      </span>
    </label>
  )
}
