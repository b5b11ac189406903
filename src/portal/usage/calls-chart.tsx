// Calls over time: a few numbers, a bar for each day or slot, and the same as a table.

import type { VNode } from 'preact'
import { BarChart } from '../charts/bar-chart.js'
import { callsOf, refusedOf, type Usage, type UsageLine } from './read-usage.js'
import { axisTimes, wholeSlotText } from './slot-text.js'
import { UsageLines } from './usage-lines.js'

const number = new Intl.NumberFormat('en-GB')
const series = [
  { text: 'Answered', kind: 'good' },
  { text: 'Failed at the service', kind: 'errors' },
  { text: 'Refused', kind: 'refused' },
] as const

/** `words`: of which time, in a sentence. */
export function CallsChart({ usage, words }: { usage: Pick<Usage, 'times' | 'complete'>; words: string }): VNode {
  const { times, complete } = usage
  const sum = (of: (line: UsageLine) => number) => times.reduce((total, line) => total + of(line), 0)
  const [calls, refused, errors] = [sum(callsOf), sum(refusedOf), sum((line) => line.errors.server)]
  const called = times.filter((line) => callsOf(line) > 0).reverse()
  const isByDay = times[0]?.key.includes('T') !== true
  return (
    <>
      <dl class="numbers" id="numbers">
        <Figure name="Calls" value={calls} />
        <Figure name="Refused" value={refused} />
        <Figure name="Errors of services" value={errors} />
      </dl>
      <BarChart
        id="chart"
        label={`Calls ${words}: ${number.format(calls)}, of which ${number.format(refused)} were refused.`}
        table="by-time"
        series={series}
        times={axisTimes(times.map(({ key }) => key))}
        bars={times.map((line) => ({
          text: wholeSlotText(line.key),
          parts: [Math.max(0, line.allowed - line.errors.server), line.errors.server, refusedOf(line)],
        }))}
      />
      {isByDay ? <p class="fine">Days are UTC.</p> : null}
      {called.length === 0 ? (
        <p class="fine" id="by-time">
          No calls in this time.
        </p>
      ) : (
        <details>
          <summary>The same as a table</summary>
          <UsageLines
            id="by-time"
            first={isByDay ? 'Day' : 'From'}
            lines={called}
            cellOf={({ key }) => wholeSlotText(key)}
          />
          <p class="fine">What has no call is left out.</p>
        </details>
      )}
      {complete ? null : <p class="fine">Other instances could not be read: these are the calls of this one.</p>}
    </>
  )
}

function Figure({ name, value }: { name: string; value: number }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{number.format(value)}</dd>
    </div>
  )
}
