// What was called, for people: over time, and by route.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { StretchSwitch } from '../charts/stretch-switch.js'
import type { PortalContext } from '../context.js'
import { CallsChart } from './calls-chart.js'
import type { Usage } from './read-usage.js'
import { type Stretch, stretches } from './stretch.js'
import { UsageLines } from './usage-lines.js'

/** Of a page about usage. */
export interface UsagePlace {
  context: PortalContext
  /** Of the page, for the links to other stretches and routes. */
  path: string
  stretch: Stretch
  /** The only route that is shown. */
  route: string | undefined
}

/** Which part of the page's usage a link shows; undefined: all of it. */
export function usageAddress({ context, path, stretch }: Omit<UsagePlace, 'route'>, route: string | undefined): string {
  const more = route === undefined ? '' : `&${new URLSearchParams({ route })}`
  return context.link(`${path}?${stretch.query}${more}`)
}

/** The chart and its table, and all routes with links to each. */
export function UsageView({ place, usage }: { place: UsagePlace; usage: Usage }): VNode {
  const { context, path, stretch, route } = place
  return (
    <>
      <section class="card" aria-labelledby="calls-title">
        <div class="toolbar middle">
          <h2 id="calls-title">Calls</h2>
          <StretchSwitch
            context={context}
            path={path}
            stretches={stretches}
            at={stretch}
            {...(route === undefined ? {} : { more: { route } })}
          />
        </div>
        {route === undefined ? null : (
          <p id="only-route">
            Only <code>{routeText(route)}</code>. <a href={usageAddress(place, undefined)}>Show all routes</a>
          </p>
        )}
        <CallsChart usage={usage} words={stretch.words} />
      </section>
      {usage.routes.length === 0 || route !== undefined ? null : (
        <section class="card" aria-labelledby="routes-title">
          <h2 id="routes-title">By route</h2>
          <UsageLines
            id="by-route"
            first="Route"
            lines={usage.routes}
            cellOf={({ key }) => <a href={usageAddress(place, key)}>{routeText(key)}</a>}
          />
        </section>
      )}
    </>
  )
}

/** The id of a route as people read it. */
export function routeText(route: string): string {
  return route === '_other' ? 'Others' : displayName(route, 200)
}
