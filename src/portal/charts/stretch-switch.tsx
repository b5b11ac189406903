// The links between stretches of time.

import type { VNode } from 'preact'
import type { PortalContext } from '../context.js'

/** `path`: of the page; `more`: what else its address says. */
export function StretchSwitch({
  context,
  path,
  stretches,
  at,
  more = {},
}: {
  context: PortalContext
  path: string
  stretches: readonly { query: string; text: string }[]
  at: { query: string }
  more?: Readonly<Record<string, string>>
}): VNode {
  const rest = Object.keys(more).length === 0 ? '' : `&${new URLSearchParams(more)}`
  return (
    <nav aria-label="Stretch">
      <ul class="pills">
        {stretches.map(({ query, text }) => (
          <li key={query}>
            <a
              id={`stretch-${query.replace('=', '-')}`}
              href={context.link(`${path}?${query}${rest}`)}
              {...(query === at.query ? { 'aria-current': 'page' as const } : {})}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
