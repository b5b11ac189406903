// What was called, for people: a few numbers, a bar a day, and the same as tables.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import { Table } from '../table.js'
import { Chart } from './chart.js'
import { callsOf, refusedOf, type Usage, type UsageLine } from './read-usage.js'

/** Stretches that can be looked at, in days. */
export const stretches = [7, 30, 90] as const

const number = new Intl.NumberFormat('en-GB')

/** `path`: of the page, for the links to other stretches. */
export function UsageView({
  context,
  path,
  days,
  usage,
}: {
  context: PortalContext
  path: string
  days: number
  usage: Usage
}): VNode {
  const sum = (of: (line: UsageLine) => number) => usage.days.reduce((total, line) => total + of(line), 0)
  const [calls, refused] = [sum(callsOf), sum(refusedOf)]
  const called = usage.days.filter((line) => callsOf(line) > 0).reverse()
  const errors = sum((line) => line.errors.server)
  const label = `Calls in the last ${days} days: ${number.format(calls)}, of which ${number.format(refused)} were refused.`
  return (
    <>
      <section class="card" aria-labelledby="calls-title">
        <div class="toolbar middle">
          <h2 id="calls-title">Calls</h2>
          <nav aria-label="Stretch">
            <ul class="pills">
              {stretches.map((one) => (
                <li key={one}>
                  <a
                    href={context.link(`${path}?days=${one}`)}
                    {...(one === days ? { 'aria-current': 'page' as const } : {})}
                  >
                    {one} days
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </div>
        <dl class="numbers" id="numbers">
          <Figure name="Calls" value={number.format(calls)} />
          <Figure name="Refused" value={number.format(refused)} />
          <Figure name="Errors of services" value={number.format(errors)} />
        </dl>
        <Chart
          id="chart"
          label={label}
          table="by-day"
          bars={usage.days.map((line) => ({ day: line.key, allowed: line.allowed, refused: refusedOf(line) }))}
        />
        {called.length === 0 ? (
          <p class="fine" id="by-day">
            No calls in these days.
          </p>
        ) : (
          <details>
            <summary>The same as a table</summary>
            <Lines id="by-day" first="Day" lines={called} />
            <p class="fine">Days without a call are left out.</p>
          </details>
        )}
      </section>
      {usage.routes.length === 0 ? null : (
        <section class="card" aria-labelledby="routes-title">
          <h2 id="routes-title">By route</h2>
          <Lines id="by-route" first="Route" lines={usage.routes} />
        </section>
      )}
    </>
  )
}

function Figure({ name, value }: { name: string; value: string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Lines({ id, first, lines }: { id: string; first: string; lines: readonly UsageLine[] }): VNode {
  return (
    <Table
      id={id}
      columns={[
        { text: first },
        { text: 'Allowed', number: true },
        { text: 'No permission', number: true },
        { text: 'Limited', number: true },
        { text: 'Bad token', number: true },
        { text: 'Errors 4xx', number: true },
        { text: 'Errors 5xx', number: true },
      ]}
      rows={lines.map(({ key, allowed, refused, errors }, index) => ({
        id: `${id}-${index}`,
        cells: [
          key === '_other' ? 'Others' : displayName(key, 200),
          ...[allowed, refused.permission, refused.limit, refused.token, errors.client, errors.server].map((count) =>
            number.format(count),
          ),
        ],
      }))}
    />
  )
}
