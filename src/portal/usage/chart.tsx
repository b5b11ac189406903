// A bar for each day, drawn on the server. What it shows stands in a table beside it, for people who cannot see it.

import type { VNode } from 'preact'

export interface Bar {
  /** `2026-01-31`. */
  day: string
  allowed: number
  refused: number
}

const [width, height, gap] = [600, 160, 0.25] as const

/** The drawing. `label` says what it shows, in a sentence with its numbers; `table` is the id of the table. */
export function Chart({
  id,
  label,
  table,
  bars,
}: {
  id: string
  label: string
  table: string
  bars: readonly Bar[]
}): VNode {
  const most = roundUp(Math.max(1, ...bars.map(({ allowed, refused }) => allowed + refused)))
  const step = width / bars.length
  const scale = (count: number) => (count / most) * height
  return (
    <figure class="chart-frame" id={id}>
      <div class="scale" aria-hidden="true">
        <span>{short(most)}</span>
        <span>{short(most / 2)}</span>
        <span>0</span>
      </div>
      <svg
        class="chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        aria-describedby={table}
      >
        {[0, height / 2, height].map((y) => (
          <line key={y} x1={0} x2={width} y1={y} y2={y} vector-effect="non-scaling-stroke" />
        ))}
        {bars.map(({ day, allowed, refused }, index) => {
          const place = { x: index * step + (step * gap) / 2, width: step * (1 - gap) }
          const [tall, red] = [scale(allowed), scale(refused)]
          return (
            <g key={day}>
              <title>{`${day}: ${allowed} allowed, ${refused} refused`}</title>
              {allowed === 0 ? null : <rect class="bar" {...place} y={height - tall} height={tall} />}
              {refused === 0 ? null : <rect class="bar refused" {...place} y={height - tall - red} height={red} />}
            </g>
          )
        })}
      </svg>
      <div class="days" aria-hidden="true">
        <span>{bars[0]?.day}</span>
        <span>{bars.at(-1)?.day}</span>
      </div>
      <figcaption class="legend">
        <span>
          <i class="dot" /> Allowed
        </span>
        <span>
          <i class="dot refused" /> Refused
        </span>
      </figcaption>
    </figure>
  )
}

/** The next number of 1, 2 or 5 and zeros. */
function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count))
  const found = [1, 2, 5, 10].find((factor) => factor * power >= count) ?? 10
  return Math.max(2, found * power)
}

function short(count: number): string {
  return new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 }).format(count)
}
