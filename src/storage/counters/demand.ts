// What happens to an account between two round trips: units are asked for, leases follow each other and end.

import type { Account, Lease } from './accounts.js'

/** For how long the past says something about the demand. */
const DEMAND_MS = 250

/** Notes that `cost` units were asked for; the estimate forgets in a quarter of a second. */
export function noteDemand(account: Account, cost: number, nowMs: number): void {
  const elapsed = Math.max(0, nowMs - account.askedAtMs)
  account.demand = account.demand / (1 + elapsed / DEMAND_MS) + cost / DEMAND_MS
  account.askedAtMs = nowMs
}

/** Units that will be asked for in `lifeMs` beside the one that is being asked for, at most `most`. */
export function expectedUnits(account: Account, lifeMs: number, most: number): number {
  const lately = account.demand - 1 / DEMAND_MS
  return Math.max(0, Math.min(most, Math.floor(lately * lifeMs)))
}

/** Puts leases that ended away and gives the one that can be spent now. */
export function currentLease(account: Account, nowMs: number): Lease | undefined {
  while (account.lease !== undefined && (account.lease.units <= 0 || nowMs >= account.lease.endsAtMs)) {
    if (account.lease.units > 0 && account.algorithm.kind === 'quota') keepLeftover(account, account.lease)
    account.lease = account.next
    account.next = undefined
  }
  return account.lease
}

/** Of two leases one remainder fits, unless they are of the same slot; the other is lost, which errs on the strict side. */
function keepLeftover(account: Account, { units, birth, slot }: Lease): void {
  const before = account.leftover
  const isSame = before !== undefined && before.birth === birth && before.slot === slot
  account.leftover = { units: isSame ? before.units + units : units, birth, slot }
}
