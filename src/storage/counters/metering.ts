// Meters of either algorithm: makes one, and hands it to the arithmetic that it belongs to.

import type { Algorithm } from './counters.js'
import type { Arithmetic, Meter, RateMeter } from './meter.js'
import { quota } from './quota.js'
import { rate } from './rate.js'

/** A meter on which nothing counts yet. */
export function createMeter(algorithm: Algorithm, nowUs: number): Meter {
  if (algorithm.kind === 'rate') return { algorithm, level: 0, leveledAt: nowUs }
  return { algorithm, total: 0, slots: [] }
}

/** The arithmetic for whichever meter it is given. */
export const metering: Arithmetic<Meter> = {
  fits: (meter, cost, nowUs) => (isRate(meter) ? rate.fits(meter, cost, nowUs) : quota.fits(meter, cost, nowUs)),
  charge: (meter, cost, nowUs) => (isRate(meter) ? rate.charge(meter, cost, nowUs) : quota.charge(meter, cost, nowUs)),
  takeBack: (meter, cost, chargedAtUs, nowUs) =>
    isRate(meter) ? rate.takeBack(meter, cost, chargedAtUs, nowUs) : quota.takeBack(meter, cost, chargedAtUs, nowUs),
  describe(meter, cost, allowed, nowUs) {
    const state = isRate(meter)
      ? rate.describe(meter, cost, allowed, nowUs)
      : quota.describe(meter, cost, allowed, nowUs)
    if (meter.shared === true) state.shared = true
    return state
  },
  used: (meter, nowUs) => (isRate(meter) ? rate.used(meter, nowUs) : quota.used(meter, nowUs)),
}

function isRate(meter: Meter): meter is RateMeter {
  return meter.algorithm.kind === 'rate'
}
