// A list with nothing in it yet: what would be here, why one wants it, and the one thing to do now.

import type { ComponentChildren, VNode } from 'preact'

/** `action`: a link or a form; absent where one can only wait. */
export function EmptyState({
  id,
  title,
  action,
  children,
}: {
  id: string
  title: string
  action?: ComponentChildren
  children?: ComponentChildren
}): VNode {
  return (
    <section class="card empty" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
      {action}
    </section>
  )
}
