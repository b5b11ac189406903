// What this server answered lately: requests and errors, how long they took, which routes, which limits, and how the
// instances are.

import type { VNode } from 'preact'
import { others } from '../../history/slot.js'
import { unmatchedRoute } from '../../observability/metrics.js'
import { displayName } from '../../web/pages/display-name.js'
import { Facts } from '../../web/pages/elements.js'
import { BarChart } from '../charts/bar-chart.js'
import { LineChart } from '../charts/line-chart.js'
import type { PortalContext } from '../context.js'
import { date, span } from '../dates.js'
import { Table } from '../table.js'
import { axisTimes, wholeSlotText } from '../usage/slot-text.js'
import type { Stretch } from '../usage/stretch.js'
import type { Operation } from './read-overview.js'

const number = new Intl.NumberFormat('en-GB')
type Server = Operation['server']

/** The charts, each with its numbers as a table. */
export function TrafficSection({ server, stretch }: { server: Server; stretch: Stretch }): VNode {
  const { requests, clientErrors, serviceErrors, ownErrors, p50Ms, p95Ms, value } = server
  const times = axisTimes(value.map(({ at }) => at))
  const errors = serviceErrors + ownErrors
  return (
    <section class="card" aria-labelledby="traffic-title">
      <h2 id="traffic-title">Requests</h2>
      <dl class="numbers" id="traffic">
        <Figure name="Requests" value={number.format(requests)} />
        <Figure name="Refused or wrong (4xx)" value={number.format(clientErrors)} />
        <Figure name="Errors (5xx)" value={number.format(errors)} />
        <Figure name="95 of 100 within" value={milliseconds(p95Ms)} />
      </dl>
      <BarChart
        id="traffic-chart"
        label={`Requests ${stretch.words}: ${number.format(requests)}, of which ${number.format(errors)} ended with an error.`}
        table="traffic-table"
        series={[
          { text: 'Answered', kind: 'good' },
          { text: '4xx', kind: 'refused' },
          { text: '5xx', kind: 'errors' },
        ]}
        times={times}
        bars={value.map((line) => {
          const failed = line.serviceErrors + line.ownErrors
          const answered = Math.max(0, line.requests - line.clientErrors - failed)
          return { text: wholeSlotText(line.at), parts: [answered, line.clientErrors, failed] }
        })}
      />
      <LineChart
        id="latency-chart"
        label={`How long requests took ${stretch.words}: half of them ${milliseconds(p50Ms)} or less, 95 of 100 ${milliseconds(p95Ms)} or less.`}
        table="traffic-table"
        unit=" ms"
        series={[
          { text: 'Half within', kind: 'median' },
          { text: '95 of 100 within', kind: 'slow' },
        ]}
        times={times}
        lines={[value.map((line) => line.p50Ms), value.map((line) => line.p95Ms)]}
      />
      <TrafficTable server={server} />
      {server.complete ? null : (
        <p class="fine">Other instances could not be read: this is what the one that answers here counted.</p>
      )}
    </section>
  )
}

function TrafficTable({ server: { value } }: { server: Server }): VNode {
  const lines = value.filter(({ requests }) => requests > 0).reverse()
  if (lines.length === 0) {
    return (
      <p class="fine" id="traffic-table">
        No requests in this time.
      </p>
    )
  }
  return (
    <details>
      <summary>The same as a table</summary>
      <Table
        id="traffic-table"
        columns={[{ text: 'From' }, ...countColumns]}
        rows={lines.map((line) => ({ id: `traffic-${line.at}`, cells: [wholeSlotText(line.at), ...countCells(line)] }))}
      />
    </details>
  )
}

const countColumns = ['Requests', '4xx', '5xx of services', '5xx of this server', 'Half within', '95 of 100'].map(
  (text) => ({
    text,
    number: true as const,
  }),
)

function countCells(line: Omit<Server['value'][number], 'at'>): string[] {
  const { requests, clientErrors, serviceErrors, ownErrors, p50Ms, p95Ms } = line
  const counts = [requests, clientErrors, serviceErrors, ownErrors].map((count) => number.format(count))
  return [...counts, milliseconds(p50Ms), milliseconds(p95Ms)]
}

/** Routes, limits and refusals. */
export function RoutesSection({ context, server }: { context: PortalContext; server: Server }): VNode | null {
  const { routes, limited, refused } = server
  if (routes.length === 0) return null
  return (
    <section class="card" aria-labelledby="server-routes-title">
      <div class="toolbar middle">
        <h2 id="server-routes-title">By route</h2>
        <a href={context.link('/portal/server/routes')}>Routes of the gate</a>
      </div>
      <Table
        id="server-routes"
        columns={[{ text: 'Route' }, ...countColumns]}
        rows={routes.map((line, index) => ({
          id: `server-route-${index}`,
          cells: [routeName(line.route), ...countCells(line)],
        }))}
      />
      <div class="tops">
        <Tops id="server-limits" title="Limits that were reached" first="Limit" lines={limited} />
        <Tops id="server-refusals" title="Why calls were refused" first="Reason" lines={refused} />
      </div>
    </section>
  )
}

/** As people read it: names that begin with an underscore are ours. */
function routeName(route: string): string {
  if (route === others) return 'Others'
  return route === unmatchedRoute ? 'No route' : displayName(route, 200)
}

function Tops({
  id,
  title,
  first,
  lines,
}: {
  id: string
  title: string
  first: string
  lines: Server['limited']
}): VNode {
  return (
    <div id={id}>
      <h3>{title}</h3>
      {lines.length === 0 ? (
        <p class="fine">None.</p>
      ) : (
        <Table
          id={`${id}-table`}
          columns={[{ text: first }, { text: 'Times', number: true }]}
          rows={lines.map(({ name, count }) => ({
            id: `${id}-${name}`,
            cells: [displayName(name.replaceAll('_', ' ')), number.format(count)],
          }))}
        />
      )}
    </div>
  )
}

/** How the instances are, in a few lines; the rest is on the page of the status. */
export function InstancesSection({ context, operation }: { context: PortalContext; operation: Operation }): VNode {
  const { status, server } = operation
  const { targets, instances, viewAgeMs, viewStale, events, certificateEndsAt } = { ...status, ...server }
  const up = targets.filter(({ state }) => state === 'up').length
  const rows: [string, string][] = [
    ['Instances', `${instances.length}: ${instances.map(({ name }) => name).join(', ')}`],
    ['Targets of services', targets.length === 0 ? 'none' : `${up} of ${targets.length} up`],
    ['Revocations', viewStale ? 'too old to decide on' : `certain ${span(Math.max(0, viewAgeMs))} ago`],
    [
      'Certificate',
      certificateEndsAt === null ? 'none is served here' : `ends on ${date(Date.parse(certificateEndsAt))}`,
    ],
    [
      'Events',
      events === null ? 'not known' : `${events.waiting} on their way, ${events.deadLetters} could not be delivered`,
    ],
    ['Tokens', counted(server.tokens)],
    ['Sign-ins', counted(server.signIns)],
  ]
  return (
    <section class="card" aria-labelledby="instances-title">
      <div class="toolbar middle">
        <h2 id="instances-title">Instances</h2>
        <a href={context.link('/portal/server/status')}>Status</a>
      </div>
      <Facts id="instances" rows={rows} />
    </section>
  )
}

function counted(lines: Server['tokens']): string {
  return lines.length === 0
    ? 'none'
    : lines.map(({ name, count }) => `${number.format(count)} ${name.replaceAll('_', ' ')}`).join(', ')
}

function Figure({ name, value }: { name: string; value: string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function milliseconds(ms: number | null): string {
  if (ms === null) return '–'
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
