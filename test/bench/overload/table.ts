// The table of the overload benchmark, and the sentences that say what it comes to.

import { aligned, ms } from '../paced/figures.js'
import { median } from '../table.js'
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

/** Each load beyond what can be done, with the quiet one of its round and the one that follows it; then all rounds. */
function sentences(rows: readonly OverloadRow[]): string[] {
  const lines: string[] = []
  const ofAll = new Map<string, { ofBest: number[]; waits: number[] }>()
  let quiet: OverloadRow | undefined
  rows.forEach((row, at) => {
    if (row.name === 'quiet') quiet = row
    if (!row.name.startsWith('three times') || quiet === undefined) return
    const waits = row.p99 / quiet.p99
    const next = rows[at + 1]
    const recovery = next?.name.startsWith('afterwards')
      ? `, the last refusal ${next.lastRefusedAt.toFixed(1)} s after its end`
      : ''
    lines.push(
      `${row.name}: goodput ${row.ofBest.toFixed(2)} of the best, p99 of admitted calls ${waits.toFixed(1)} x quiet, health within ${ms(row.healthMs)} ms${recovery}`,
    )
    const all = ofAll.get(row.name) ?? { ofBest: [], waits: [] }
    ofAll.set(row.name, all)
    all.ofBest.push(row.ofBest)
    all.waits.push(waits)
  })
  for (const [name, { ofBest, waits }] of ofAll) {
    if (ofBest.length < 2) continue
    lines.push(
      `${name}, ${ofBest.length} rounds: goodput ${middleAndSpread(ofBest, 2)} of the best, p99 ${middleAndSpread(waits, 1)} x quiet`,
    )
  }
  return lines
}

function middleAndSpread(values: readonly number[], digits: number): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)]
  return `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`
}
