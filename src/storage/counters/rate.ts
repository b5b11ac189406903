// GCRA (ITU-T I.371 annex A) as a leaking bucket: `limit` units leak per period, `burst` units fit. Over any period at
// most burst + limit pass. The level is kept in units × microseconds of the period, so no step divides.

import type { Arithmetic, RateMeter } from './meter.js'
import { toWholeMs } from './microseconds.js'

/** The arithmetic of rates. */
export const rate: Arithmetic<RateMeter> = {
  fits(meter, cost, nowUs) {
    leak(meter, nowUs)
    return missing(meter, cost) <= 0
  },
  charge(meter, cost, nowUs) {
    leak(meter, nowUs)
    meter.level = Math.max(0, meter.level + cost * unit(meter))
  },
  takeBack(meter, cost, _chargedAtUs, nowUs) {
    rate.charge(meter, -cost, nowUs)
  },
  describe(meter, cost, allowed, nowUs) {
    leak(meter, nowUs)
    const { burst, limit } = meter.algorithm
    return {
      allowed,
      remaining: Math.max(0, Math.floor(-missing(meter, 0) / unit(meter))),
      resetMs: toWholeMs(meter.level / limit),
      retryAfterMs: allowed ? 0 : cost > burst ? Number.POSITIVE_INFINITY : toWholeMs(missing(meter, cost) / limit),
    }
  },
  used(meter, nowUs) {
    leak(meter, nowUs)
    return meter.level / unit(meter)
  },
}

/** A clock that seems to go back leaks nothing. */
function leak(meter: RateMeter, nowUs: number): void {
  if (nowUs <= meter.leveledAt) return
  meter.level = Math.max(0, meter.level - (nowUs - meter.leveledAt) * meter.algorithm.limit)
  meter.leveledAt = nowUs
}

/** How much would have to leak for `cost` to fit; not positive when it fits. */
function missing(meter: RateMeter, cost: number): number {
  return meter.level + (cost - meter.algorithm.burst) * unit(meter)
}

function unit(meter: RateMeter): number {
  return meter.algorithm.periodMs * 1000
}
