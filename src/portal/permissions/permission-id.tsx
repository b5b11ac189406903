// The id of a permission where there is little room: it breaks after its dots, and not within a word.

import type { VNode } from 'preact'

/** `User.Read.All` with places to break. What is selected and copied is the id. */
export function PermissionId({ id }: { id: string }): VNode {
  const parts = id.split(/(?<=[._])/)
  return (
    <code class="permission-id">
      {parts.map((part, index) => (
        // The parts of one id never change their order.
        <span key={`${index}-${part}`}>
          {part}
          {index === parts.length - 1 ? null : <wbr />}
        </span>
      ))}
    </code>
  )
}
