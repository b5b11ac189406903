// The specification's own spelling of two endpoints, which matches in any letter case (contract §1). One segment is one
// pattern, so the rest of the router stays case-sensitive.

/** A router's path of these segments, each in any letter case: `['api', 'token']` matches `/API/Token`. */
export function anyCasePath(segments: readonly string[]): string {
  return `/${segments.map(anyCase).join('/')}`
}

function anyCase(word: string): string {
  const pattern = [...word].map((c) => (/[a-z]/.test(c) ? `[${c.toUpperCase()}${c}]` : c)).join('')
  return `:${word}(^${pattern}$)`
}
