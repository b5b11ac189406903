// Which of the clocks on one Store is right, by what most of them say. Who leads deletes rows and retires keys by its
// clock.

/** By how much clocks may differ and still agree, in milliseconds. */
const leewayMs = 60_000

/**
 * Whether an instance may lead by its clock: it is alone, or most clocks agree with it. Where no side has more than
 * another, the one that is behind may: it does everything late and nothing early. `others`: by how many milliseconds
 * the clock of each other instance is ahead of this one's; undefined: not known yet, so it counts as the Store's.
 * `store`: of the Store's clock, undefined when it cannot be read.
 */
export function isTrustedClock(others: readonly (number | undefined)[], store: number | undefined): boolean {
  if (others.length === 0) return true
  const known = others.map((offset) => offset ?? store).filter((offset) => offset !== undefined)
  if (known.length === 0) return false
  const all = store === undefined ? [0, ...known] : [0, ...known, store]
  const agreeing = (offset: number) => all.filter((other) => Math.abs(other - offset) <= leewayMs).length
  const own = agreeing(0)
  return known.every((offset) => agreeing(offset) < own || (agreeing(offset) === own && offset >= -leewayMs))
}
