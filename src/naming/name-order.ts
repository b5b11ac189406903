// The order of names in lists that people read: without regard to case and accents, and numbers by what they are worth,
// so that "Sensor 6" comes before "Sensor 12".

const { compare } = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

/** For `sort`: below 0 when `one` comes first. Names that are equal so far are ordered by their characters. */
export function compareNames(one: string, other: string): number {
  const order = compare(one, other)
  if (order !== 0) return order
  return one < other ? -1 : Number(one > other)
}
