// The three kinds of application as cards; each leads to the form with the fields that it needs.

import type { VNode } from 'preact'
import type { PortalContext } from '../context.js'
import { type KindId, kinds } from './kinds.js'

/** The cards. `chosen` is the one that the page is about; without, a heading stands above them. */
export function KindCards({ context, chosen }: { context: PortalContext; chosen?: KindId | undefined }): VNode {
  const Heading = chosen === undefined ? 'h3' : 'h2'
  return (
    <ul class="cards kinds">
      {(Object.keys(kinds) as KindId[]).map((id) => (
        <li key={id} class="card">
          <Heading>
            <a
              id={`kind-${id}`}
              href={context.link(`/portal/applications/new?kind=${id}`)}
              {...(id === chosen ? { 'aria-current': 'true' as const } : {})}
            >
              {kinds[id].title}
            </a>
          </Heading>
          <p>{kinds[id].what}</p>
          <p class="fine">{kinds[id].how}</p>
        </li>
      ))}
    </ul>
  )
}
