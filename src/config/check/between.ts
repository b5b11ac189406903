// The bounds of quantities with units, which JSON Schema has no keyword for.

import { quantity } from '../process/units.js'

/** True when `text` is a quantity between the two bounds, or no quantity at all: that is the pattern's matter. */
export function isBetween([from, to]: readonly [string, string], text: string): boolean {
  const measure = /B$/.test(from) ? quantity.bytes : quantity.milliseconds
  try {
    return measure(text) >= measure(from) && measure(text) <= measure(to)
  } catch {
    return true
  }
}
