// The figures as text: a line for each number of instances, the measured and the simulated one beside each other.

import type { Machine } from './machine.js'
import type { Figures } from './scenarios.js'

/** A row of the table, by the name of its column. */
export function columnsOf({ rest, streamLag, pollLag, perThousandCalls, starts }: Figures): Record<string, number> {
  const { 'begin and commit': around, others, ...shared } = rest.statements
  const statements = Object.values(shared).reduce((sum, each) => sum + each, 0)
  return {
    'SQL/s': statements,
    'tx/s': around / 2,
    'rows/s': rest.rows,
    'other SQL/s': others,
    'PG kB/s': rest.storeBytes / 1_000,
    'xadd/s': rest.commands.xadd,
    'xread/s': rest.commands.xread,
    'xrevrange/s': rest.commands.xrevrange,
    'Redis kB/s': rest.redisBytes / 1_000,
    'lag stream': streamLag.mean,
    'its p50': streamLag.p50,
    'its most': streamLag.most,
    'lag poll': pollLag.mean,
    'its p50 ': pollLag.p50,
    'its most ': pollLag.most,
    'Redis/1000 calls': perThousandCalls,
    'most rows/s': rest.mostRows ?? Number.NaN,
    'SQL of starts': starts?.statements ?? Number.NaN,
    'rows of starts': starts?.rows ?? Number.NaN,
    'starts s': starts?.seconds ?? Number.NaN,
  }
}

/** Each line says what it is of; numbers are of a second for all instances, lags in milliseconds, the mean first. */
export function table(rows: readonly { what: string; figures: Figures }[]): string {
  const [first] = rows
  if (first === undefined) return ''
  const names = Object.keys(columnsOf(first.figures))
  const lines = [...rows]
    .sort((a, b) => a.figures.instances - b.figures.instances)
    .map(({ what, figures }) => {
      const values = Object.values(columnsOf(figures)).map((value) => rounded(value))
      return [String(figures.instances), what, ...values]
    })
  const widths = ['instances', 'simulated', ...names].map((name) => name.length)
  const line = (cells: readonly string[]) => cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')
  return [line(['instances', '', ...names]), ...lines.map(line)].join('\n')
}

/** What the machine of real ones was found to be, for those beside them. */
export function machineText(instances: number, machine: Machine): string {
  const { processors, busy, answerMs, entryMs, statementMs, commandMs, commitMs } = machine
  const costs = { answer: answerMs, entry: entryMs, statement: statementMs, command: commandMs, commit: commitMs }
  const each = Object.entries(costs).map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`)
  return `machine of ${instances}: ${processors} processors, ${Math.round(busy * 100)} % busy at rest; ${each.join(', ')}`
}

function rounded(value: number): string {
  if (Number.isNaN(value)) return '-'
  return value >= 100 ? value.toFixed(0) : value.toFixed(1)
}
