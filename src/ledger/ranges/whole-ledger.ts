// Whether the chain is whole, in ranges that are checked side by side. It answers yes or nothing: who wants to know
// what is wrong walks along all of it (verify.ts), so both ways find the same.

import { readLedger } from '../../storage/sql/ledger/ledger-entries.js'
import type { LedgerHead } from '../../storage/sql/ledger/ledger-head.js'
import type { Store } from '../../storage/sql/store.js'
import type { ReadCheckpoints } from '../checkpoint-lines.js'
import { sameMac } from '../ledger-keys.js'
import type { LedgerStart } from '../start.js'
import type { WalkedPart } from '../walk.js'
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
  part: WalkedPart
  /** The last row of the part. */
  end: LedgerHead
  checkpoints: ReadCheckpoints
}

/**
 * What is whole: every row of the part is as it was written, and everything else agrees with it. `isRecorded`: as of
 * WalkedPart. Undefined: it is not, or too short. Rejects as `by`.
 */
export async function wholePart(
  { reader }: Pick<Store, 'reader'>,
  chain: Chain,
  by: RangeCheck,
): Promise<{ isRecorded: boolean } | undefined> {
  const { start, part, end, checkpoints } = chain
  const { after, isLast } = part
  if (!Number.isSafeInteger(end.position) || end.position - after.position < Math.max(1, by.least)) return undefined
  if (checkpoints.bad.length > 0) return undefined
  if (isLast && checkpoints.authentic.some(({ count }) => count > end.position)) return undefined
  const before = after.position > 0 ? checkpoints.authentic.filter(({ count }) => count === after.position) : []
  if (!before.every((one) => sameMac(one.head, after.mac))) return undefined
  if (after.position === start.position) {
    // A row before the beginning, or one after the end, is looked at by those who can say what it is.
    const [first] = await readLedger(reader, undefined, 1)
    if (first?.position !== start.position + 1) return undefined
  }
  const ranges = rangesOf(chain, by.rows)
  const found = await by.check(ranges)
  if (found.length !== ranges.length || !found.every((one) => one !== undefined)) return undefined
  const whole = found as readonly WholeRange[]
  const joined = whole.every(({ before }, at) => sameMac(before, at === 0 ? after.mac : (whole[at - 1]?.last ?? '')))
  if (!joined || !sameMac(whole.at(-1)?.last ?? '', end.mac)) return undefined
  const said = whole.flatMap(({ pruned }) => pruned)
  // Somebody who can say more of it has to see a beginning that is not where rows say it is.
  if (said.some(({ last }) => last > start.position)) return undefined
  const isRecorded = part.isRecorded || start.recorded === undefined || said.some((one) => saysBeginning(start, one))
  return isRecorded || !isLast ? { isRecorded } : undefined
}

function rangesOf({ part, end, checkpoints }: Chain, rows: number): LedgerRange[] {
  const ranges: LedgerRange[] = []
  const first = part.after.position
  for (let after = first; after < end.position; after += rows) {
    const until = Math.min(after + rows, end.position)
    const inside = checkpoints.authentic.filter(({ count }) => count > after && count <= until)
    ranges.push({
      after,
      until,
      mac: after === first ? part.after.mac : undefined,
      known: inside.map((one) => ({ position: one.count, mac: one.head })),
    })
  }
  return ranges
}

/** Whether this row is the one that says that the chain begins where it does. */
function saysBeginning(start: LedgerStart, { position, last, head }: WholeRange['pruned'][number]): boolean {
  return position === start.recorded && last === start.position && head === start.mac
}
