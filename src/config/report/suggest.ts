// "did you mean": the known name that a mistyped one is nearest to.

/**
 * The nearest of `known`, when it is near enough to be meant; ignores case and counts a swap of neighbours as one step.
 */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined
  for (const name of known) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase())
    if (best === undefined || distance < best.distance) best = { name, distance }
  }
  const allowed = Math.max(1, Math.floor(written.length / 3))
  return best !== undefined && best.distance <= allowed ? best.name : undefined
}

/** `; did you mean "…"?` to append to a message, or nothing. */
export function didYouMean(written: string, known: Iterable<string>): string {
  const name = nearestName(written, known)
  return name === undefined ? '' : `; did you mean ${JSON.stringify(name)}?`
}

// Optimal string alignment. Names are short: anything beyond 80 characters is not a typing slip.
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 20 || a.length > 80 || b.length > 80) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + change)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
