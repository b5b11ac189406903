// A row of small bars for a terminal.

const bars = '▁▂▃▄▅▆▇█'
const most = 48

/** One sign for each count; of more than 48, neighbours are added up. Nothing counted: a flat line. */
export function sparkline(counts: readonly number[]): string {
  const together = Math.ceil(counts.length / most)
  const sums = Array.from({ length: Math.ceil(counts.length / Math.max(1, together)) }, (_, index) =>
    counts.slice(index * together, (index + 1) * together).reduce((sum, count) => sum + count, 0),
  )
  const greatest = Math.max(1, ...sums)
  return sums.map((sum) => (sum === 0 ? bars[0] : bars[Math.min(7, Math.floor((sum / greatest) * 7.999))])).join('')
}
