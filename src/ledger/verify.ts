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
import { openReached, type Reached, sealReached, startMark } from './ranges/reached.js'
import { type RangeCheck, wholePart } from './ranges/whole-ledger.js'
import { type LedgerStart, openStart } from './start.js'
import { type LedgerProblem, startWalk, type Walk, type WalkedPart } from './walk.js'

export interface Verification {
  /** No problem, in the parts before neither. */
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
  /** The last row that was read: `count`, or the end of a part. */
  reached: number
  /** Goes on behind a part (`VerifiedPart.from`); absent at the end. */
  next?: string
}

/** A part of the chain; all of it when both are absent. */
export interface VerifiedPart {
  /** `next` of the part before. */
  from?: string | undefined
  /** How many rows; more where some are missing. */
  most?: number | undefined
}

/** `from` is not what a verification here answered. */
export class UnknownPart extends Error {}

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
 * Verifies the chain, or a part of it, and compares it with checkpoints, the lines that checkpoints.ts writes: the same
 * for each part. Without them rows that were cut off together with the head are not missed. What was verified in a part
 * before is not read again: it is as it was then. Throws StoreUnavailable, UnknownPart.
 */
export async function verifyLedger(
  deps: Verifying,
  lines: AsyncIterable<string> | Iterable<string> = [],
  { from, most }: VerifiedPart = {},
): Promise<Verification> {
  const { store, keys } = deps
  const before = from === undefined ? undefined : openReached(keys, from)
  if (from !== undefined && before === undefined) throw new UnknownPart('no verification of this ledger ended there')
  const checkpoints = await readCheckpoints(keys, lines)
  for (let turn = 1; ; turn += 1) {
    const row = await readLedgerStart(store.reader)
    const begins = { ...openStart(keys, row), mark: startMark(row?.seal ?? '') }
    const found = await verifyPart(deps, { checkpoints, begins, before, most })
    // When rows were taken away meanwhile, they are missed by somebody who knew the beginning of before.
    if (found.clean || turn === mostTurns || (await readLedgerStart(store.reader))?.seal === row?.seal) return found
  }
}

interface Part {
  checkpoints: ReadCheckpoints
  begins: ReturnType<typeof openStart> & { mark: string }
  before: Reached | undefined
  most: number | undefined
}

async function verifyPart(
  { store, keys, ranges }: Verifying,
  { checkpoints, begins, before, most }: Part,
): Promise<Verification> {
  const { start, wrong, mark } = begins
  // After the checkpoints and the start: the head that is read now is at least as far as what they tell of.
  const head = await readLedgerHead(store.reader)
  // Rows up to there may have been taken away by order since.
  const follows = before !== undefined && before.position > start.position ? before : undefined
  const after = follows ?? start
  const end = await endOfPart(store, after.position, most ?? Number.POSITIVE_INFINITY, head)
  const part: WalkedPart = {
    after,
    isRecorded: follows !== undefined && follows.start === mark && follows.isRecorded,
    isLast: end === head,
  }
  const found = { count: head.position, start: start.position, head: head.mac, reached: end.position }
  const gone = goneSince(before, { start, wrong, head, after: after.position })
  const answer = (isRecorded: boolean, problems: LedgerProblem[]): Verification => {
    const clean = problems.length === 0 && (before?.isClean ?? true)
    const reached = { ...end, start: mark, isRecorded, count: head.position, isClean: clean }
    return {
      clean,
      ...found,
      problems,
      checkpoints: checkpoints.authentic.length,
      ...(part.isLast ? {} : { next: sealReached(keys, reached) }),
    }
  }
  if (ranges !== undefined && wrong === undefined && gone.length === 0) {
    // What fails there is reported by the range check; it is no finding.
    const whole = await wholePart(store, { start, part, end, checkpoints }, ranges).catch(() => undefined)
    if (whole !== undefined && !(part.isLast && (await hasMore(store, head)))) return answer(whole.isRecorded, [])
  }
  const walk = startWalk(keys, checkpoints, start, part)
  await walkAlong(store, walk, follows?.position, Math.min(end.position, Number.MAX_SAFE_INTEGER))
  const problems = walk.end(end, part.isLast && (await hasMore(store, head)))
  if (wrong !== undefined) problems.unshift({ kind: wrong, position: start.position })
  return answer(walk.isRecorded(), [...problems, ...gone])
}

/** What was there at the part before and is not any more: the beginning that it knew, and rows at the end. */
function goneSince(
  before: Reached | undefined,
  now: { start: LedgerStart; wrong: string | undefined; head: LedgerHead; after: number },
): LedgerProblem[] {
  const { start, wrong, head, after } = now
  const gone: LedgerProblem[] = []
  if (before === undefined) return gone
  const isStartAway = before.start !== '' && start.recorded === undefined && wrong === undefined
  if (isStartAway) gone.push({ kind: 'start', position: start.position })
  // Up to `after` the walk says it.
  const position = Math.max(0, head.position, head.position < after ? after : 0) + 1
  const { count } = before
  if (count >= position) gone.push({ kind: 'cut-off', position, ...(count > position ? { until: count } : {}) })
  return gone
}

/** The row `most` rows after that one, as it stands, or the next one where it is gone; the head when that comes first. */
async function endOfPart(
  { reader }: Pick<Store, 'reader'>,
  after: number,
  most: number,
  head: LedgerHead,
): Promise<LedgerHead> {
  if (after + most >= head.position) return head
  const [row] = await readLedger(reader, after + most - 1, 1)
  // Nobody wrote a row that cannot be counted to: the walk says what it is, and it ends no part.
  const isEnd = row !== undefined && Number.isSafeInteger(row.position) && row.position > after
  return isEnd && row.position < head.position ? { position: row.position, mac: row.mac } : head
}

/** The rows after `position` up to `end`; without one from the very first. */
async function walkAlong(
  { reader }: Pick<Store, 'reader'>,
  walk: Walk,
  position: number | undefined,
  end: number,
): Promise<void> {
  let last = position
  while (last === undefined || last < end) {
    const rows = await readLedger(reader, last, pageRows)
    for (const row of rows) if (row.position <= end) walk.see(row)
    const next = rows.at(-1)
    if (next === undefined) break
    last = next.position
    // Thousands of macs in a row would keep every request of this process waiting.
    await nextTurn()
  }
}

/** Rows after the head are no problem when they were written meanwhile: then the head has moved with them. */
async function hasMore({ reader }: Pick<Store, 'reader'>, head: LedgerHead): Promise<boolean> {
  const [more] = await readLedger(reader, head.position, 1)
  return more !== undefined && (await readLedgerHead(reader)).position < more.position
}
