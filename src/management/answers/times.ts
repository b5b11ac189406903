// Times as the API says them.

/** RFC 3339 from epoch milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

/** As iso, null for null. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms)
}
