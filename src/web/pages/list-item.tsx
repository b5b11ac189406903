// An entry of a list: what it is, and what can be done with it.

import type { ComponentChildren, VNode } from 'preact'

/** `children` is what can be done: a link or a form. */
export function ListItem({
  name,
  about,
  children,
}: {
  name: ComponentChildren
  about: ComponentChildren
  children?: ComponentChildren
}): VNode {
  return (
    <li>
      <span class="what">
        <span class="name">{name}</span>
        <span class="fine">{about}</span>
      </span>
      {children}
    </li>
  )
}
