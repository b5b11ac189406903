// The table of the overload benchmark, and the sentences that say what it comes to.

import { aligned, ms } from '../paced/figures.js'
import type { OverloadFigures, OverloadRow } from './measure.js'

const head = [
  '',
  'due/s',
  'goodput/s',
  'best/s',
  'of best',
  'per CPU s',
  'p50 ms',
  'p99 ms',
  'first ms',
  'longest ms',
  'refused',
  'not sent',
  'lost',
  'health ms',
  'generator',
]

/** Lines ready to print. */
export function overloadTable({ bestOfFew, bestPerCpuSecond, rows }: OverloadFigures): string {
  const lines = rows.map((row) => [
    row.name,
    row.perSecond.toFixed(0),
    row.goodput.toFixed(0),
    row.best.toFixed(0),
    row.ofBest.toFixed(2),
    row.perCpuSecond.toFixed(0),
    ...[row.p50, row.p99, row.firstMs, row.longest].map(ms),
    Object.entries(row.refused)
      .map(([status, count]) => `${count} x ${status}`)
      .join(', ') || '0',
    String(row.unsent),
    String(row.lost),
    ms(row.healthMs),
    `${(row.generatorBusy * 100).toFixed(0)} %`,
  ])
  const title = `64 connections: ${bestOfFew.toFixed(0)}/s, ${bestPerCpuSecond.toFixed(0)} per second of the processor`
  return [title, aligned([head, ...lines]), urgentTable(rows), ...sentences(rows)].join('\n')
}

function urgentTable(rows: readonly OverloadRow[]): string {
  const kinds = ['revocations', 'sign-in pages', 'tokens'] as const
  const lines = rows.map(({ name, urgent }) => [
    name,
    ...kinds.flatMap((kind) => [`${urgent[kind].refused} of ${urgent[kind].all}`, ms(urgent[kind].p99)]),
  ])
  return `\n${aligned([['not answered, p99 ms', ...kinds.flatMap((kind) => [kind, ''])], ...lines])}\n`
}

/** Each load beyond what can be done, with the one that follows it. */
function sentences(rows: readonly OverloadRow[]): string[] {
  const quiet = rows.find(({ name }) => name === 'quiet')
  return rows.flatMap((row, at) => {
    if (!row.name.startsWith('three times') || quiet === undefined) return []
    const waits = (row.p99 / quiet.p99).toFixed(1)
    const next = rows[at + 1]
    const recovery = next === undefined ? '' : `, the last refusal ${next.lastRefusedAt.toFixed(1)} s after its end`
    return [
      `${row.name}: goodput ${row.ofBest.toFixed(2)} of the best, p99 of admitted calls ${waits} x quiet, health within ${ms(row.healthMs)} ms${recovery}`,
    ]
  })
}
