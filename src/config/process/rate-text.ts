// A number of units per period, as the configuration writes it.

/** As people write it: 600 in 60 s are `600/min`, 20 in 10 s `20/10s`. */
export function rateText(limit: number, periodSeconds: number): string {
  const [size, unit] = shownUnits.find(([size]) => periodSeconds % size === 0) ?? [1, 's']
  const periods = periodSeconds / size
  return `${limit}/${periods === 1 ? '' : periods}${unit}`
}

const shownUnits = [
  [86_400, 'day'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const
