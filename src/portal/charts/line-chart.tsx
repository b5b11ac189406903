// Measures over time, a line each, interrupted where nothing was measured.

import type { VNode } from 'preact'
import { ChartFrame, type ChartProps, drawing } from './frame.js'
import { ticks } from './scale.js'

/** The drawing; `lines`: for each series its values in the order of time, null where there is none. */
export function LineChart({
  lines,
  unit,
  ...chart
}: ChartProps & { lines: readonly (readonly (number | null)[])[]; unit: string }): VNode {
  const { height, width } = drawing
  const marks = ticks(Math.max(0, ...lines.flat().map((value) => value ?? 0)), { whole: false })
  const most = marks.at(-1) ?? 1
  return (
    <ChartFrame chart={chart} marks={marks} unit={unit}>
      {lines.map((values, index) => {
        const step = width / Math.max(1, values.length)
        const x = (at: number) => (at + 0.5) * step
        const y = (value: number) => height - (value / most) * height
        const kind = chart.series[index]?.kind ?? ''
        return (
          <g key={kind}>
            {runsOf(values).map(({ from, measured }) => (
              <polyline
                key={from}
                class={`line ${kind}`}
                // One alone is a dash, or nobody would see it.
                points={(measured.length === 1 ? [...measured, ...measured] : measured)
                  .map((value, at) => `${round(x(from + (measured.length === 1 ? at * 0.5 : at)))},${round(y(value))}`)
                  .join(' ')}
                vector-effect="non-scaling-stroke"
              />
            ))}
          </g>
        )
      })}
    </ChartFrame>
  )
}

/** Values that follow one another without a gap. */
function runsOf(values: readonly (number | null)[]): { from: number; measured: number[] }[] {
  const runs: { from: number; measured: number[] }[] = []
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    const last = runs.at(-1)
    if (last !== undefined && last.from + last.measured.length === index) last.measured.push(value)
    else runs.push({ from: index, measured: [value] })
  }
  return runs
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
