// An agent: which tools, prompts and resources of MCP servers its permissions open, and which of them it never used.

import type { VNode } from 'preact'
import type { PermissionOverview } from './permission-overview.js'

/** Nothing of an application whose permissions open none. */
export function OperationsCard({ overview }: { overview: PermissionOverview }): VNode | null {
  const { operations } = overview
  if (operations.length === 0) return null
  const unused = operations.filter(({ usesIn30Days }) => usesIn30Days === 0)
  const used = operations.length - unused.length
  return (
    <section class="card" aria-labelledby="operations-title">
      <h2 id="operations-title">Tools of MCP servers</h2>
      <p id="operations">
        {used} of the {operations.length} tools, prompts and resources that these permissions open were used in the last
        30 days.
      </p>
      {unused.length === 0 ? null : (
        <details>
          <summary>Not used</summary>
          <ul class="plain-list" id="unused-operations">
            {unused.map(({ id, permissions }) => (
              <li key={id}>
                <code>{id}</code> with <code>{permissions.join(' ')}</code>
              </li>
            ))}
          </ul>
          <p class="fine">A permission can go when none of what it opens is needed.</p>
        </details>
      )}
    </section>
  )
}
