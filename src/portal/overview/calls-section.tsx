// Calls of the tenant's applications: over time, who calls what most, and how each of one's own does.

import type { VNode } from 'preact'
import type { Overview } from '../../management/overview/overview-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { Table } from '../table.js'
import { ApplicationCell } from '../usage/application-cell.js'
import { CallsChart } from '../usage/calls-chart.js'
import { callsOf, refusedOf, type Usage, type UsageLine } from '../usage/read-usage.js'
import type { Stretch } from '../usage/stretch.js'
import { routeText } from '../usage/usage-view.js'

const number = new Intl.NumberFormat('en-GB')
const mostShown = 10

interface Place {
  context: PortalContext
  stretch: Stretch
  own: ReadonlySet<string>
}

/** The chart, with the way to everything. */
export function CallsSection({ place, usage }: { place: Place; usage: Usage }): VNode {
  const { context, stretch } = place
  return (
    <section class="card" aria-labelledby="calls-title">
      <div class="toolbar middle">
        <h2 id="calls-title">Calls of applications</h2>
        <a id="all-usage" href={context.link(`/portal/usage?${stretch.query}`)}>
          All usage
        </a>
      </div>
      <CallsChart usage={usage} words={stretch.words} />
      {usage.pairs.length === 0 ? null : <Pairs place={place} pairs={usage.pairs.slice(0, mostShown)} />}
    </section>
  )
}

function Pairs({ place: { context, stretch, own }, pairs }: { place: Place; pairs: readonly UsageLine[] }): VNode {
  return (
    <Table
      id="pairs"
      caption="Called most"
      columns={[
        { text: 'Route' },
        { text: 'Application' },
        { text: 'Calls', number: true },
        { text: 'Refused', number: true },
        { text: 'Errors', number: true },
      ]}
      rows={pairs.map((line, index) => {
        const route = new URLSearchParams({ route: line.key })
        return {
          id: `pair-${index}`,
          cells: [
            <a key="route" href={context.link(`/portal/usage?${stretch.query}&${route}`)}>
              {routeText(line.key)}
            </a>,
            <ApplicationCell key="name" context={context} line={line} own={own} query={stretch.query} />,
            ...[callsOf(line), refusedOf(line), line.errors.server].map((count) => number.format(count)),
          ],
        }
      })}
    />
  )
}

/** The applications that the person owns, with their calls; else how many there are. */
export function OwnApplications({
  place: { context, stretch },
  applications: { owned, enabled, disabled },
  usage,
}: {
  place: Place
  applications: Overview<'applications'>
  usage: Usage
}): VNode {
  const all = enabled + disabled
  return (
    <section class="card" aria-labelledby="own-title">
      <div class="toolbar middle">
        <h2 id="own-title">{owned.length === 0 ? 'Applications' : 'Your applications'}</h2>
        <span class="ways">
          <a id="all-applications" href={context.link('/portal/applications')}>
            {all === 1 ? 'The only one' : `All ${number.format(all)}`}
          </a>
          <a id="register" href={context.link('/portal/applications/new')}>
            Register
          </a>
        </span>
      </div>
      {owned.length === 0 ? (
        <p id="none-owned">
          You own none. {number.format(enabled)} {enabled === 1 ? 'is' : 'are'} enabled in this tenant
          {disabled === 0 ? '' : `, ${number.format(disabled)} disabled`}.
        </p>
      ) : (
        <Table
          id="owned"
          columns={[
            { text: 'Application' },
            { text: 'Calls', number: true },
            { text: 'Refused', number: true },
            { text: 'Errors', number: true },
            { text: '' },
          ]}
          rows={owned.map(({ applicationId, name, state }) => {
            const line = usage.applications.find((one) => one.applicationId === applicationId)
            const counts = line === undefined ? [0, 0, 0] : [callsOf(line), refusedOf(line), line.errors.server]
            const activity = context.link(applicationPath(applicationId, 'activity'))
            return {
              id: `owned-${applicationId}`,
              cells: [
                <>
                  <a href={context.link(applicationPath(applicationId))}>{displayName(name)}</a>{' '}
                  {state === 'disabled' ? <span class="tag warn">Disabled</span> : null}
                </>,
                ...counts.map((count) => number.format(count)),
                <span key="ways" class="ways">
                  <a
                    href={context.link(`${applicationPath(applicationId, 'usage')}?${stretch.query}`)}
                    aria-label={`Usage of ${displayName(name)}`}
                  >
                    Usage
                  </a>
                  <a href={activity} aria-label={`Activity of ${displayName(name)}`}>
                    Activity
                  </a>
                </span>,
              ],
            }
          })}
        />
      )}
    </section>
  )
}
