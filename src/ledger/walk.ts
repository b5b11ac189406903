// One walk along the chain, row by row in the order of the positions: what does not fit is noted with its position. Its
// memory does not grow with the chain: neighbours that are wrong alike are one problem.

import type { LedgerHead, LedgerRow } from '../storage/sql/ledger/ledger-head.js'
import { chainMac } from './chain.js'
import type { ReadCheckpoints } from './checkpoint-lines.js'
import { type LedgerKeys, sameMac } from './ledger-keys.js'
import { findOrigins, mostSuspects, type Suspect } from './moved-rows.js'
import { type LedgerStart, prunedBy } from './start.js'

/** What is wrong, and where in the chain. */
export interface LedgerProblem {
  /**
   * `changed`: not what was written. `added`: where nothing was written. `moved`: written for the position `movedFrom`.
   * `removed`: not there. `cut-off`: not there any more at the end. `unknown-key`: written under a master key that is
   * not configured. `head`: the head names another last row. `rewritten`: a checkpoint knew another row here. `start`:
   * no row says that the chain begins after this one, or one says that it begins later. `checkpoint-…`, `start-…`: the
   * line, or the start, is not to be believed.
   */
  kind:
    | ('changed' | 'added' | 'moved' | 'removed' | 'cut-off' | 'unknown-key' | 'head' | 'rewritten')
    | ('start' | 'start-forged' | 'start-unknown-key')
    | ReadCheckpoints['bad'][number]['kind']
  /** From 1; of a checkpoint that says nothing readable, 0. */
  position: number
  /** The last of a run of positions with the same problem. */
  until?: number
  movedFrom?: number
  /** The line of the checkpoint that shows it, from 1. */
  line?: number
}

/** What is kept and told; more than these are counted. */
const mostProblems = 1_000

export interface Walk {
  /** The next row; positions grow. */
  see(row: LedgerRow): void
  /** After the last row up to the end of the part: everything that was found, by position. `beyond`: there are rows after it. */
  end(head: LedgerHead, beyond: boolean): LedgerProblem[]
  /** Whether a row was seen that says where the chain begins, as far as one is needed. */
  isRecorded(): boolean
}

/** A part of the chain that is walked along by itself. */
export interface WalkedPart {
  /** The row before it, as it was read. */
  after: { position: number; mac: string }
  /** Whether a row up to there said where the chain begins. */
  isRecorded: boolean
  /** Nothing comes after it. */
  isLast: boolean
}

/**
 * A walk from the first row after `start` on, past these checkpoints. Rows before it that are still there have to be
 * authentic: somebody is taking them away. `part`: from that row on, and whether it is the end.
 */
export function startWalk(
  keys: LedgerKeys,
  checkpoints: ReadCheckpoints,
  start: LedgerStart = { position: 0, mac: '' },
  part: WalkedPart = { after: start, isRecorded: false, isLast: true },
): Walk {
  const { after, isLast } = part
  const problems: LedgerProblem[] = checkpoints.bad.map(({ kind, count, line }) => ({ kind, position: count, line }))
  const known = new Map<number, ReadCheckpoints['authentic']>()
  for (const checkpoint of checkpoints.authentic) {
    known.set(checkpoint.count, [...(known.get(checkpoint.count) ?? []), checkpoint])
  }
  const suspects: Suspect[] = []
  let expected = after.position + 1
  /** Undefined after a hole: the row that follows is tried with what it says that it follows. */
  let previousMac: string | undefined = after.mac
  const beginning = watchBeginning(keys, start, part.isRecorded)

  const note = (problem: LedgerProblem): void => {
    const last = problems.at(-1)
    const follows = (last?.until ?? last?.position) === problem.position - 1 && last?.line === undefined
    if (last !== undefined && follows && last.kind === problem.kind && problem.line === undefined) {
      last.until = problem.until ?? problem.position
    } else if (problems.length < mostProblems) problems.push(problem)
  }
  const fits = (row: LedgerRow): boolean => {
    const key = keys.find(row.key_id)
    if (key === undefined) {
      note({ kind: 'unknown-key', position: row.position })
      return true
    }
    // An attacker who took the row before away could otherwise write this one anew.
    const follows = previousMac ?? row.previous_mac
    return follows !== null && sameMac(row.mac, chainMac(key.chain, follows, row))
  }
  return {
    see(row) {
      if (row.position < expected) {
        // Before the first one nothing was ever written, and lists would show it.
        if (row.position < 1 || row.position > start.position) note({ kind: 'added', position: row.position })
        else if (!beginning.fits(row)) note({ kind: 'changed', position: row.position })
        return
      }
      if (row.position > expected) {
        note({ kind: 'removed', position: expected, ...untilOf(expected, row.position - 1) })
        previousMac = undefined
      }
      if (!fits(row)) {
        note({ kind: 'changed', position: row.position })
        if (suspects.length <= mostSuspects) suspects.push({ row, previousMac: previousMac ?? '' })
      }
      beginning.see(row)
      for (const { head, line } of known.get(row.position) ?? []) {
        if (!sameMac(head, row.mac)) note({ kind: 'rewritten', position: row.position, line })
      }
      previousMac = row.mac
      expected = row.position + 1
    },
    end(head, beyond) {
      const last = expected - 1
      if (head.position > last) note({ kind: 'cut-off', position: expected, ...untilOf(expected, head.position) })
      else if (after.position > head.position) {
        const position = Math.max(0, head.position) + 1
        note({ kind: 'cut-off', position, ...untilOf(position, after.position) })
      } else if (beyond || (previousMac !== undefined && previousMac !== head.mac)) {
        note({ kind: 'head', position: head.position })
      }
      const longest = checkpoints.authentic.reduce((a, b) => (b.count > a.count ? b : a), { count: 0, line: 0 })
      if (isLast && longest.count > Math.max(0, head.position)) {
        const position = head.position + 1
        note({ kind: 'cut-off', position, ...untilOf(position, longest.count), line: longest.line })
      }
      for (const { head, line } of after.position > 0 ? (known.get(after.position) ?? []) : []) {
        if (!sameMac(head, after.mac)) note({ kind: 'rewritten', position: after.position, line })
      }
      problems.push(...beginning.end(isLast))
      const explanations = explained(problems, findOrigins(keys, suspects))
      return explanations.sort((a, b) => a.position - b.position)
    },
    isRecorded: beginning.isRecorded,
  }
}

/** What rows say of the beginning of the chain, and rows before it that are being taken away. */
function watchBeginning(keys: LedgerKeys, start: LedgerStart, wasRecorded: boolean) {
  let recorded = wasRecorded || start.recorded === undefined
  let later = 0
  return {
    /**
     * Whether a row before the start is as it was written. Those of before migration 18 do not say what they follow.
     */
    fits(row: LedgerRow): boolean {
      const key = keys.find(row.key_id)
      if (row.position === start.position && !sameMac(row.mac, start.mac)) return false
      if (key === undefined || row.previous_mac === null) return true
      return sameMac(row.mac, chainMac(key.chain, row.previous_mac, row))
    },
    see(row: LedgerRow): void {
      const said = prunedBy(row)
      if (said === undefined || start.isPart === true) return
      if (said.last > start.position) later = Math.max(later, said.last)
      if (row.position === start.recorded) recorded ||= said.last === start.position && said.head === start.mac
    },
    end(isLast: boolean): LedgerProblem[] {
      if (later > 0) return [{ kind: 'start', position: start.position, ...untilOf(start.position, later) }]
      return recorded || !isLast ? [] : [{ kind: 'start', position: start.position }]
    },
    isRecorded: () => recorded,
  }
}

/**
 * Splits what was found to be moved out of the runs of changed rows; what only stands after a moved row is in order.
 */
function explained(problems: readonly LedgerProblem[], origins: ReadonlyMap<number, number>): LedgerProblem[] {
  if (origins.size === 0) return [...problems]
  return problems.flatMap((problem) => {
    if (problem.kind !== 'changed') return [problem]
    const { position, until = position } = problem
    return Array.from({ length: until - position + 1 }, (_, i) => position + i).flatMap((at): LedgerProblem[] => {
      const origin = origins.get(at)
      if (origin === undefined) return [{ kind: 'changed', position: at }]
      return origin === at ? [] : [{ kind: 'moved', position: at, movedFrom: origin }]
    })
  })
}

function untilOf(position: number, until: number): { until?: number } {
  return until > position ? { until } : {}
}
