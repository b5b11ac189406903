// Figures of latencies, and tables of them.

/** Milliseconds. */
export interface Figures {
  count: number
  p50: number
  p99: number
  p999: number
  longest: number
}

/** Of milliseconds in any order. NaN where there are none. */
export function figuresOf(latencies: readonly number[]): Figures {
  const sorted = Float64Array.from(latencies).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), p999: at(0.999), longest: at(1) }
}

/** Lines of a table: the first column to the left, the others to the right. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(cell).join('  ')).join('\n')
}

/** Milliseconds with as many places as they deserve. */
export function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1)
}
