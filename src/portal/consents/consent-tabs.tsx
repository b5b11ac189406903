// The two lists about consents, side by side.

import type { VNode } from 'preact'
import type { PortalContext } from '../context.js'

/** Where the pages are. */
export const inboxPath = '/portal/consents'
export const appsPath = '/portal/consents/apps'

const tabs = [
  { id: 'requests', path: inboxPath, text: 'Requests' },
  { id: 'apps', path: appsPath, text: 'Apps with access' },
] as const

/** The tabs. */
export function ConsentTabs({ context, at }: { context: PortalContext; at: (typeof tabs)[number]['id'] }): VNode {
  return (
    <nav aria-label="Consents">
      <ul class="tabs">
        {tabs.map(({ id, path, text }) => (
          <li key={id}>
            <a id={`tab-${id}`} href={context.link(path)} {...(id === at ? { 'aria-current': 'page' as const } : {})}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
