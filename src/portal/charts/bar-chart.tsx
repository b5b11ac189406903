// Counts over time: a bar for each stretch of it, in parts that stand on one another.

import type { VNode } from 'preact'
import { ChartFrame, type ChartProps, drawing } from './frame.js'
import { ticks } from './scale.js'

export interface Bar {
  /** What it stands for: `2026-01-31`, `11:45`. */
  text: string
  /** As many as there are series, from the bottom up. */
  parts: readonly number[]
}

const gap = 0.25

/** The drawing. */
export function BarChart({ bars, ...chart }: ChartProps & { bars: readonly Bar[] }): VNode {
  const { width, height } = drawing
  const marks = ticks(Math.max(0, ...bars.map(sumOf)), { whole: true })
  const step = width / Math.max(1, bars.length)
  const scale = (count: number) => (count / (marks.at(-1) ?? 1)) * height
  return (
    <ChartFrame chart={chart} marks={marks}>
      {bars.map((bar, index) => {
        const place = { x: index * step + (step * gap) / 2, width: step * (1 - gap) }
        let below = 0
        return (
          <g key={bar.text}>
            <title>{`${bar.text}: ${chart.series.map(({ text }, i) => `${bar.parts[i] ?? 0} ${text.toLowerCase()}`).join(', ')}`}</title>
            {chart.series.map(({ kind }, part) => {
              const tall = scale(bar.parts[part] ?? 0)
              if (tall === 0) return null
              below += tall
              return <rect key={kind} class={`bar ${kind}`} {...place} y={height - below} height={tall} />
            })}
          </g>
        )
      })}
    </ChartFrame>
  )
}

function sumOf({ parts }: Bar): number {
  return parts.reduce((sum, part) => sum + part, 0)
}
