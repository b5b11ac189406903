// Who calls what: each route with each application that called it, narrowed by a part of either.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { Field } from '../../web/pages/elements.js'
import { ApplicationCell } from './application-cell.js'
import type { UsageLine } from './read-usage.js'
import { UsageLines } from './usage-lines.js'
import { routeText, type UsagePlace, usageAddress } from './usage-view.js'

const mostShown = 100
const mostTyped = 128

/** The lines that have what was typed in the route or the name of the application, and the form to type it in. */
export function WhoCalls({
  place,
  pairs,
  own,
}: {
  place: UsagePlace
  pairs: readonly UsageLine[]
  /** As ownApplications says. */
  own: ReadonlySet<string>
}): VNode {
  const { context, stretch, route } = place
  const search = (context.query.get('search') ?? '').trim().slice(0, mostTyped)
  const found = pairs.filter((line) => fits(line, search))
  const shown = found.slice(0, mostShown)
  return (
    <section class="card" aria-labelledby="who-calls-title">
      <h2 id="who-calls-title">{route === undefined ? 'Who calls what' : `Who calls ${routeText(route)}`}</h2>
      <SearchPairs place={place} search={search} />
      {shown.length === 0 ? (
        <p id="no-pairs">
          Nothing that was called {stretch.words} has “{displayName(search)}” in it.{' '}
          <a href={usageAddress(place, route)}>Show all</a>
        </p>
      ) : (
        <UsageLines
          id="who-calls"
          first="Route"
          second="Application"
          lines={shown}
          cellOf={({ key }) => <a href={usageAddress(place, key)}>{routeText(key)}</a>}
          nextOf={(line) => <ApplicationCell context={context} line={line} own={own} query={stretch.query} />}
        />
      )}
      {found.length > shown.length ? (
        <p class="fine">
          {found.length - shown.length} more were called less: search, or look at one route. The command line has all:{' '}
          <code>portcullis usage --by route,application</code>.
        </p>
      ) : null}
    </section>
  )
}

function SearchPairs({ place, search }: { place: UsagePlace; search: string }): VNode {
  const { context, path, stretch, route } = place
  const [name = '', value = ''] = stretch.query.split('=')
  return (
    <search>
      <form id="who-calls-form" class="inline" method="get" action={path}>
        {context.tenants.length > 1 ? (
          <input type="hidden" name="tenant" value={context.currentTenant.tenantId} />
        ) : null}
        <input type="hidden" name={name} value={value} />
        {route === undefined ? null : <input type="hidden" name="route" value={route} />}
        <Field
          id="search"
          label="A part of the route, or of the application’s name"
          type="search"
          required={false}
          value={search}
          maxLength={mostTyped}
        />
        <button id="find" type="submit" class="plain">
          Search
        </button>
      </form>
    </search>
  )
}

function fits({ key, name, applicationId }: UsageLine, search: string): boolean {
  const wanted = search.normalize('NFC').toLowerCase()
  return [key, name ?? '', applicationId ?? ''].some((text) => text.toLowerCase().includes(wanted))
}
