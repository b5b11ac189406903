// What an application has used of each limit that counts for it: a bar each, and the same in a table.

import type { VNode } from 'preact'
import { Table } from '../table.js'
import { countedWords, limitWords, type PlanUsage } from './plan-words.js'

type Line = PlanUsage['value'][number]
type Counted = Line & { remaining: number }

const number = new Intl.NumberFormat('en-GB')
const mostRoutes = 3

/** The drawing; of limits with one number. */
export function LimitChart({ usage }: { usage: PlanUsage }): VNode | null {
  const counted = usage.value.filter((line): line is Counted => line.remaining !== null)
  if (counted.length === 0) return null
  return (
    <figure class="limit-chart" id="limit-chart">
      <ul>
        {counted.map((line) => {
          const share = shareOf(line)
          const text = `${number.format(usedOf(line))} of ${number.format(mostOf(line))} used`
          return (
            <li key={line.name}>
              <span>{line.name}</span>
              <svg
                viewBox="0 0 100 4"
                preserveAspectRatio="none"
                role="img"
                aria-label={`${line.name}: ${text}`}
                aria-describedby="limits"
              >
                <rect class={share >= 90 ? 'used full' : 'used'} x={0} y={0} width={share} height={4} />
              </svg>
              <span>{text}</span>
              <span>
                {line.resetSeconds === null || usedOf(line) === 0 ? '' : `more in ${waitWords(line.resetSeconds)}`}
              </span>
            </li>
          )
        })}
      </ul>
    </figure>
  )
}

/** The same, with what counts otherwise too. */
export function LimitTable({ usage }: { usage: PlanUsage }): VNode {
  return (
    <Table
      id="limits"
      columns={[
        { text: 'Limit' },
        { text: 'Allows' },
        { text: 'Used', number: true },
        { text: 'Left', number: true },
        { text: 'On' },
      ]}
      rows={usage.value.map((line) => ({
        id: `limit-${line.name}`,
        cells: [
          <>
            {line.name}
            <span class="under">{line.plan === null ? 'for all applications' : `of the plan ${line.plan}`}</span>
          </>,
          <>
            {limitWords(line)}
            <span class="under">counting {countedWords(line.by)}</span>
          </>,
          line.remaining === null ? '–' : number.format(usedOf({ ...line, remaining: line.remaining })),
          line.remaining === null ? '–' : number.format(line.remaining),
          routesWords(line),
        ],
      }))}
    />
  )
}

/** Of a rate what may be taken at once; of a quota all of it. */
function mostOf({ limit, burst }: Line): number {
  return burst ?? limit
}

function usedOf(line: Counted): number {
  return Math.max(0, mostOf(line) - line.remaining)
}

/** In hundredths. */
function shareOf(line: Counted): number {
  return Math.min(100, (usedOf(line) / Math.max(1, mostOf(line))) * 100)
}

function routesWords({ routes }: Line): string {
  if (routes === null) return 'every route that names it'
  const shown = routes.slice(0, mostRoutes).join(', ')
  const rest = routes.length - mostRoutes
  return rest > 0 ? `${shown} and ${rest} more` : shown || 'no route'
}

function waitWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`
}
