// Verifying the chain: is every row as it was written, in its place, and is the end where it should be? It reads in
// pages and holds no snapshot: rows are only ever added, or taken away at the beginning, so those up to the head that
// was read first do not change, and a long chain keeps nobody from reading the directory.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { readLedger } from '../storage/sql/ledger/ledger-entries.js'
import { type LedgerHead, readLedgerHead } from '../storage/sql/ledger/ledger-head.js'
import { readLedgerStart } from '../storage/sql/ledger/start.js'
import type { Store } from '../storage/sql/store.js'
import { type ReadCheckpoints, readCheckpoints } from './checkpoint-lines.js'
import type { LedgerKeys } from './ledger-keys.js'
import { isWhole, type RangeCheck } from './ranges/whole-ledger.js'
import { openStart } from './start.js'
import { type LedgerProblem, startWalk } from './walk.js'

export interface Verification {
  clean: boolean
  /** How many rows were written by the head, and the mac of the last one. */
  count: number
  /** How many of them were taken away at the beginning, by order. */
  start: number
  head: string
  /** By position; at most a thousand, each of them one run of neighbours. */
  problems: LedgerProblem[]
  /** How many checkpoints it was compared with. */
  checkpoints: number
}

const pageRows = 500

/** Somebody who takes rows away while others verify does it once in a while, not all the time. */
const mostTurns = 5

interface Verifying {
  store: Pick<Store, 'reader'>
  keys: LedgerKeys
  /** Checks a long chain in ranges; absent, or when it cannot: all of it is walked along here. */
  ranges?: RangeCheck | undefined
}

/**
 * Verifies the whole chain and compares it with checkpoints, the lines that checkpoints.ts writes. Without them rows
 * that were cut off together with the head are not missed. Throws StoreUnavailable.
 */
export async function verifyLedger(
  { store, keys, ranges }: Verifying,
  lines: AsyncIterable<string> | Iterable<string> = [],
): Promise<Verification> {
  const checkpoints = await readCheckpoints(keys, lines)
  for (let turn = 1; ; turn += 1) {
    const row = await readLedgerStart(store.reader)
    const found = await verifyFrom({ store, keys, ranges }, checkpoints, openStart(keys, row))
    // When rows were taken away meanwhile, they are missed by somebody who knew the beginning of before.
    if (found.clean || turn === mostTurns || (await readLedgerStart(store.reader))?.seal === row?.seal) return found
  }
}

async function verifyFrom(
  { store, keys, ranges }: Verifying,
  checkpoints: ReadCheckpoints,
  { start, wrong }: ReturnType<typeof openStart>,
): Promise<Verification> {
  // After the checkpoints and the start: the head that is read now is at least as far as what they tell of.
  const head = await readLedgerHead(store.reader)
  const found = {
    count: head.position,
    start: start.position,
    head: head.mac,
    checkpoints: checkpoints.authentic.length,
  }
  if (ranges !== undefined && wrong === undefined) {
    // What fails there is reported by the range check; it is no finding.
    const isClean = await isWhole(store, { start, head, checkpoints }, ranges).catch(() => false)
    if (isClean && !(await hasMore(store, head))) return { clean: true, ...found, problems: [] }
  }
  const walk = startWalk(keys, checkpoints, start)
  const end = Math.min(head.position, Number.MAX_SAFE_INTEGER)
  let position: number | undefined
  while (position === undefined || position < end) {
    const rows = await readLedger(store.reader, position, pageRows)
    for (const row of rows) if (row.position <= end) walk.see(row)
    const last = rows.at(-1)
    if (last === undefined) break
    position = last.position
    // Thousands of macs in a row would keep every request of this process waiting.
    await nextTurn()
  }
  const problems = walk.end(head, await hasMore(store, head))
  if (wrong !== undefined) problems.unshift({ kind: wrong, position: start.position })
  return { clean: problems.length === 0, ...found, problems }
}

/** Rows after the head are no problem when they were written meanwhile: then the head has moved with them. */
async function hasMore({ reader }: Pick<Store, 'reader'>, head: LedgerHead): Promise<boolean> {
  const [more] = await readLedger(reader, head.position, 1)
  return more !== undefined && (await readLedgerHead(reader)).position < more.position
}
