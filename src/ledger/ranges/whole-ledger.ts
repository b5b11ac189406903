// Whether the chain is whole, in ranges that are checked side by side. It answers yes or nothing: who wants to know
// what is wrong walks along all of it (verify.ts), so both ways find the same.

import { readLedger } from '../../storage/sql/ledger/ledger-entries.js'
import type { LedgerHead } from '../../storage/sql/ledger/ledger-head.js'
import type { Store } from '../../storage/sql/store.js'
import type { ReadCheckpoints } from '../checkpoint-lines.js'
import { sameMac } from '../ledger-keys.js'
import type { LedgerStart } from '../start.js'
import type { FoundRange, LedgerRange, WholeRange } from './check-range.js'

/** Checks ranges, in whatever order and place. Rejects when it cannot. */
export interface RangeCheck {
  /** How many rows a range has. */
  rows: number
  /** Fewer rows than these are walked along: a thread takes longer to begin. */
  least: number
  check(ranges: readonly LedgerRange[]): Promise<readonly FoundRange[]>
}

interface Chain {
  start: LedgerStart
  head: LedgerHead
  checkpoints: ReadCheckpoints
}

/** True: every row from `start` to `head` is as it was written, and everything else agrees with it. Rejects as `by`. */
export async function isWhole({ reader }: Pick<Store, 'reader'>, chain: Chain, by: RangeCheck): Promise<boolean> {
  const { start, head, checkpoints } = chain
  if (!Number.isSafeInteger(head.position) || head.position - start.position < Math.max(1, by.least)) return false
  if (checkpoints.bad.length > 0 || checkpoints.authentic.some(({ count }) => count > head.position)) return false
  const atStart = start.position > 0 ? checkpoints.authentic.filter(({ count }) => count === start.position) : []
  if (!atStart.every((one) => sameMac(one.head, start.mac))) return false
  // A row before the beginning, or one after the end, is looked at by those who can say what it is.
  const [first] = await readLedger(reader, undefined, 1)
  if (first?.position !== start.position + 1) return false
  const ranges = rangesOf(chain, by.rows)
  const found = await by.check(ranges)
  if (found.length !== ranges.length || !found.every((one) => one !== undefined)) return false
  const whole = found as readonly WholeRange[]
  const joined = whole.every(({ before }, at) => sameMac(before, at === 0 ? start.mac : (whole[at - 1]?.last ?? '')))
  return joined && sameMac(whole.at(-1)?.last ?? '', head.mac) && isBeginning(start, whole)
}

function rangesOf({ start, head, checkpoints }: Chain, rows: number): LedgerRange[] {
  const ranges: LedgerRange[] = []
  for (let after = start.position; after < head.position; after += rows) {
    const until = Math.min(after + rows, head.position)
    const inside = checkpoints.authentic.filter(({ count }) => count > after && count <= until)
    ranges.push({
      after,
      until,
      mac: after === start.position ? start.mac : undefined,
      known: inside.map((one) => ({ position: one.count, mac: one.head })),
    })
  }
  return ranges
}

/** Whether rows say that the chain begins where it does, and none that it begins later. */
function isBeginning(start: LedgerStart, ranges: readonly WholeRange[]): boolean {
  const said = ranges.flatMap(({ pruned }) => pruned)
  if (said.some(({ last }) => last > start.position)) return false
  if (start.recorded === undefined) return true
  return said.some(
    ({ position, last, head }) => position === start.recorded && last === start.position && head === start.mac,
  )
}
