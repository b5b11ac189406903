// The benchmark's figures as a table: medians, spread, and ratios that are taken round by round.

export interface Row {
  name: string
  /** The name of the row that its ratio is taken to. */
  reference: string
  cpuMicros: number[]
  perSecond: number[]
  residentMb: number
}

/** The middle of the sorted numbers; the mean of the middle two when they are even. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

/** Lines ready to print. */
export function table(rows: readonly Row[]): string {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const cells = rows.map((row) => {
    const reference = byName.get(row.reference) ?? row
    const ratios = row.cpuMicros.map((micros, round) => micros / (reference.cpuMicros[round] ?? Number.NaN))
    const spread = `${Math.min(...row.cpuMicros).toFixed(0)}–${Math.max(...row.cpuMicros).toFixed(0)}`
    return [
      row.name,
      median(row.cpuMicros).toFixed(1),
      spread,
      median(ratios).toFixed(2),
      row.reference,
      median(row.perSecond).toFixed(0),
      row.residentMb.toFixed(0),
    ]
  })
  const head = ['row', 'CPU µs', 'min–max', 'ratio', 'to', 'requests/s', 'RSS MB']
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)))
  const line = (words: readonly string[]) =>
    words.map((word, at) => (at === 0 ? word.padEnd(widths[at] ?? 0) : word.padStart(widths[at] ?? 0))).join('  ')
  return [line(head), ...cells.map(line)].join('\n')
}
