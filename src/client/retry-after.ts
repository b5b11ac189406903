// The Retry-After field (RFC 9110 §10.2.3): seconds, or a date.

/** Whole seconds from now, at least 0; undefined when the field is absent or says nothing. */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const field = headers.get('retry-after')?.trim()
  if (field === undefined || field === '') return undefined
  if (/^\d{1,9}$/.test(field)) return Number(field)
  const at = Date.parse(field)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}
