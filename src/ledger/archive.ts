// The ledger outside of the Store: one line of JSON for each row, oldest first, then the checkpoint of the last.
// The holder of the file and the master key can verify it without a server: each row says what it follows, and the
// checkpoint which one is the last.

import { rowOfLine } from './archived-row.js'
import { rowsDigest } from './chain.js'
import { readCheckpoints } from './checkpoint-lines.js'
import type { LedgerKeys } from './ledger-keys.js'
import type { PrunableRows } from './prune.js'
import { type LedgerProblem, startWalk } from './walk.js'

/** What an archive was found to be. */
export interface ArchiveVerification {
  clean: boolean
  /** The positions of its first and last row; 0: it has none. */
  first: number
  last: number
  /** How many rows. */
  count: number
  /** The mac of the last one. */
  head: string
  /** Without one, rows that were cut off the end of the file cannot be missed. */
  checkpoints: number
  problems: LedgerProblem[]
}

/** Verifies lines of an archive: each row, that none is missing between them, and the checkpoints after them. */
export async function verifyArchive(
  keys: LedgerKeys,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ArchiveVerification> {
  const others: string[] = []
  // Checkpoints stand at the end: the walk is told of them when it has begun.
  let walk: ReturnType<typeof startWalk> | undefined
  const found = { first: 0, last: 0, count: 0, head: '' }
  const known = { authentic: [], bad: [] } as Awaited<ReturnType<typeof readCheckpoints>>
  const macs = new Map<number, string>()
  for await (const line of lines) {
    const row = rowOfLine(line)
    if (row === undefined) {
      if (line.trim() !== '') others.push(line)
      continue
    }
    walk ??= startWalk(keys, known, { position: row.position - 1, mac: row.previous_mac ?? '', isPart: true })
    if (found.count === 0) found.first = row.position
    walk.see(row)
    Object.assign(found, { last: row.position, head: row.mac, count: found.count + 1 })
    macs.set(row.position, row.mac)
  }
  const { authentic, bad } = await readCheckpoints(keys, others)
  const problems: LedgerProblem[] = walk?.end({ position: found.last, mac: found.head }, false) ?? []
  for (const { kind, count, line } of bad) problems.push({ kind, position: count, line })
  for (const { count, head, line } of authentic) {
    if (count > found.last) problems.push({ kind: 'cut-off', position: found.last + 1, until: count, line })
    else if (macs.has(count) && macs.get(count) !== head) problems.push({ kind: 'rewritten', position: count, line })
  }
  return { clean: problems.length === 0, ...found, checkpoints: authentic.length, problems }
}

/**
 * The digest of the rows `first` to `last` of an archive; undefined when it does not have all of them, in their order.
 */
export async function archiveDigest(
  lines: AsyncIterable<string> | Iterable<string>,
  { first, last }: Pick<PrunableRows, 'first' | 'last'>,
): Promise<string | undefined> {
  const digest = rowsDigest()
  let next = first
  for await (const line of lines) {
    const row = rowOfLine(line)
    if (row === undefined || row.position < first || row.position > last) continue
    if (row.position !== next) return undefined
    digest.add(row)
    next += 1
  }
  return next === last + 1 ? digest.hex() : undefined
}
