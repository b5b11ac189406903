// What the axis of a chart says: from nothing to a little more than the most, in steps that people count in.

const mostSteps = 4

/** The numbers beside the axis from 0 up; `whole`: counts, which have no halves. */
export function ticks(most: number, { whole }: { whole: boolean }): number[] {
  const least = whole ? 1 : 0.1
  let power = 10 ** Math.floor(Math.log10(Math.max(most, least) / mostSteps))
  for (;;) {
    for (const factor of [1, 2, 5]) {
      const step = factor * power
      const steps = Math.max(1, Math.ceil(most / step - 1e-9))
      if (steps <= mostSteps && step >= least)
        return Array.from({ length: steps + 1 }, (_, index) => rounded(index * step))
    }
    power *= 10
  }
}

/** Without the noise of binary fractions. */
function rounded(value: number): number {
  return Number(value.toPrecision(6))
}

/** `12K`, `1.5M`. */
export function short(value: number): string {
  return new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 }).format(value)
}
