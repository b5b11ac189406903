// Text that is there to be copied: selectable as it stands; where there are scripts, with a button (scripts.ts adds
// it).

import type { ComponentChildren, VNode } from 'preact'
import { describedBy, Labelled } from '../web/pages/labelled.js'

/** A short value in a line, such as an identifier. `name` says what it is, for the button's label. */
export function CopyValue({ id, name, children }: { id: string; name: string; children: string }): VNode {
  return (
    <span class="copy">
      <code id={id} data-copy={name}>
        {children}
      </code>
    </span>
  )
}

/** Several lines of code or output. `name` says what they are. */
export function CopyBlock({ id, name, children }: { id: string; name: string; children: string }): VNode {
  return (
    <div class="copy block">
      <p class="bar">
        <span>{name}</span>
      </p>
      <pre id={id} data-copy={name}>
        {children}
      </pre>
    </div>
  )
}

/**
 * A secret that is shown this once. With scripts it is masked until somebody asks; without, it can be read and
 * selected. The page must be sent `no-store`, which pages are unless they say otherwise.
 */
export function SecretOnce({
  id,
  label,
  hint,
  children,
}: {
  id: string
  label: string
  hint?: ComponentChildren
  children: string
}): VNode {
  return (
    <Labelled id={id} label={label} hint={hint}>
      <span class="copy">
        <input
          id={id}
          class="code"
          type="text"
          readonly
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={children}
          data-copy={label}
          data-secret={label}
          {...describedBy({ id, hint })}
        />
      </span>
    </Labelled>
  )
}
