// The Duration of an answer: milliseconds with three decimals, as the header field has it.

const thousandths = Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'))

/** `12.345` for 12.3451 ms. From two whole numbers, because writing a fraction costs ten times as much. */
export function durationField(milliseconds: number): string {
  const microseconds = Math.max(0, Math.round(milliseconds * 1000))
  return `${Math.floor(microseconds / 1000)}.${thousandths[microseconds % 1000]}`
}
