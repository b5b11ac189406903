// The specification's own spelling of two endpoints, which matches in any letter case (contract §1). Each segment is
// one pattern, so the rest of the router stays case-sensitive.

/**
 * A router's path of these segments, each in any letter case: `['api', 'token']` matches `/API/Token`. The router takes
 * two such paths with as many segments for the same one, unless a segment has more parts: `['author', 'ize']` is one of
 * two.
 */
export function anyCasePath(segments: readonly (string | readonly string[])[]): string {
  return `/${segments.map((segment) => [segment].flat().map(anyCase).join('')).join('/')}`
}

function anyCase(word: string): string {
  const pattern = [...word].map((c) => (/[a-z]/.test(c) ? `[${c.toUpperCase()}${c}]` : c)).join('')
  return `:${word}(^${pattern}$)`
}
