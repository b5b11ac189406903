// Durations for people to read.

/** Seconds as a person says them, in at most two units: `1 day 12 h`, `15 min`, `30 s`. */
export function durationText(seconds: number): string {
  const parts = [
    { amount: Math.floor(seconds / 86_400), unit: seconds < 172_800 ? 'day' : 'days' },
    { amount: Math.floor(seconds / 3600) % 24, unit: 'h' },
    { amount: Math.floor(seconds / 60) % 60, unit: 'min' },
    { amount: seconds % 60, unit: 's' },
  ]
  const said = parts.filter(({ amount }) => amount > 0).slice(0, 2)
  return said.length === 0 ? '0 s' : said.map(({ amount, unit }) => `${amount} ${unit}`).join(' ')
}
