// What stands around a drawing: the numbers of its axis, when it begins and ends, and what the colours mean. What a
// drawing shows stands in a table beside it, for people who cannot see it.

import type { ComponentChildren, VNode } from 'preact'
import { short } from './scale.js'

/** A kind of thing that is counted; its colour is in chart-styles.ts. */
export interface Series {
  text: string
  kind: 'good' | 'refused' | 'errors' | 'median' | 'slow'
}

/** `at`: the time that it is, ISO 8601; absent for a day, which is the same in every zone. */
export interface AxisTime {
  text: string
  at?: string
}

export interface ChartProps {
  id: string
  /** What it shows, in a sentence with its numbers. */
  label: string
  /** The id of the table that says the same. */
  table: string
  series: readonly Series[]
  /** Below it, from the left to the right. */
  times: readonly AxisTime[]
}

/** Of a drawing, in units of the SVG. */
export const drawing = { width: 600, height: 160 } as const

/** The frame; `marks`: the numbers of the axis from 0 up; `unit` stands behind the greatest. */
export function ChartFrame({
  chart: { id, label, table, series, times },
  marks,
  unit = '',
  children,
}: {
  chart: ChartProps
  marks: readonly number[]
  unit?: string
  children?: ComponentChildren
}): VNode {
  const { width, height } = drawing
  const most = marks.at(-1) ?? 1
  return (
    <figure class="chart-frame" id={id}>
      <div class="scale" aria-hidden="true">
        {[...marks].reverse().map((mark) => (
          <span key={mark}>{`${short(mark)}${mark === most ? unit : ''}`}</span>
        ))}
      </div>
      <svg
        class="chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        aria-describedby={table}
      >
        {marks.map((mark) => {
          const y = height - (mark / most) * height
          return <line key={mark} x1={0} x2={width} y1={y} y2={y} vector-effect="non-scaling-stroke" />
        })}
        {children}
      </svg>
      <div class="days" aria-hidden="true">
        {times.map(({ text, at }, index) => (
          // The first and the last of a day are the same time.
          <span key={`${index} ${text}`}>{at === undefined ? text : <time dateTime={at}>{text}</time>}</span>
        ))}
      </div>
      <figcaption class="legend">
        {series.map(({ text, kind }) => (
          <span key={kind}>
            <i class={`dot ${kind}`} /> {text}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}
