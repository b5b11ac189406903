// What paths of routes have in common: `/a/{b}/**`, where `**` also stands for what is above it.

/** Whether whatever `path` matches is matched by `wider` too. */
export function covers(wider: string, path: string): boolean {
  const [segments, wide] = [path.split('/'), wider.split('/')]
  for (const [index, wanted] of wide.entries()) {
    if (wanted === '**') return true
    const segment = segments[index]
    if (segment === undefined || segment === '**') return false
    if (!isParameter(wanted) && segment !== wanted) return false
  }
  return segments.length === wide.length
}

/**
 * Whether some path is matched by both, in any letter case; by their segments in lower case, for thousands are compared
 * with each other.
 */
export function overlap(left: readonly string[], right: readonly string[]): boolean {
  for (let index = 0; ; index += 1) {
    const a = left[index]
    const b = right[index]
    if (a === '**' || b === '**') return true
    if (a === undefined || b === undefined) return a === b
    if (a !== b && !isParameter(a) && !isParameter(b)) return false
  }
}

/** Whether a segment stands for any one. */
export function isParameter(segment: string): boolean {
  return segment.startsWith('{')
}
