// Quantities with their unit, as people write them: `5s`, `24h`, `8KiB`, `600/min`. A bare number is refused, because
// nobody can tell its unit. Results are whole base units: milliseconds, bytes.

/** Regular expression source of a duration, for the schema. */
export const DURATION_PATTERN = '^(0|[1-9][0-9]{0,8})(ms|s|m|min|h|d)$'
/** Regular expression source of a size in bytes. */
export const SIZE_PATTERN = '^[1-9][0-9]{0,8}(B|KiB|MiB|GiB)$'
/** Regular expression source of so many units per period. */
export const RATE_PATTERN = '^[1-9][0-9]{0,11}/([1-9][0-9]{0,3} ?)?(s|m|min|h|d|day)$'

const MILLISECONDS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
}

const BYTES: Record<string, number> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** What a quantity is read from; the schema has already accepted the text. */
export const quantity = Object.freeze({
  /** `1h` → 3600000. Throws RangeError for text that DURATION_PATTERN does not match. */
  milliseconds(text: string): number {
    const [, count, unit] = matched(text, DURATION_PATTERN)
    return Number(count) * (MILLISECONDS[unit ?? ''] ?? 0)
  },

  /** `8KiB` → 8192. Throws RangeError for text that SIZE_PATTERN does not match. */
  bytes(text: string): number {
    matched(text, SIZE_PATTERN)
    return Number.parseInt(text, 10) * (BYTES[text.replace(/^[0-9]+/, '')] ?? 0)
  },

  /** `600/min` → 600 per 60000 ms; `20/10s` → 20 per 10000 ms. Throws RangeError like the others. */
  rate(text: string): { limit: number; periodMs: number } {
    const [, periods, unit] = matched(text, RATE_PATTERN)
    const periodMs = Number((periods ?? '1').trim()) * (MILLISECONDS[unit ?? ''] ?? 0)
    return { limit: Number.parseInt(text, 10), periodMs }
  },
})

function matched(text: string, pattern: string): RegExpExecArray {
  const found = new RegExp(pattern).exec(text)
  if (found === null) throw new RangeError('not a quantity with a unit')
  return found
}
