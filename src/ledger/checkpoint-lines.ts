// A checkpoint: how many rows the ledger had, and the mac of the last one, signed with a key that is not in the
// database. One line of JSON each. A copy of them elsewhere is what finds rows that were cut off the end together with
// the head.

import { hexMac, type LedgerKeys, sameMac } from './ledger-keys.js'

export interface Checkpoint {
  /** How many rows. */
  count: number
  /** The mac of the last of them. */
  head: string
  /** Epoch milliseconds. */
  at: number
  keyId: string
  mac: string
}

/** What lines were found to be. `line` is from 1. */
export interface ReadCheckpoints {
  authentic: (Checkpoint & { line: number })[]
  /** `count` is what the line claims; 0 when it says nothing that can be read. */
  bad: { line: number; count: number; kind: 'checkpoint-forged' | 'checkpoint-unknown-key' }[]
}

/** The checkpoint of a state of the ledger. */
export function checkpointOf(keys: LedgerKeys, state: Pick<Checkpoint, 'count' | 'head' | 'at'>): Checkpoint {
  const { count, head, at } = state
  const { id: keyId, checkpoint: key } = keys.current
  return { count, head, at, keyId, mac: checkpointMac(key, { count, head, at, keyId }) }
}

/** The line for it, with its end. */
export function checkpointLine(keys: LedgerKeys, state: Pick<Checkpoint, 'count' | 'head' | 'at'>): string {
  return `${JSON.stringify(checkpointOf(keys, state))}\n`
}

/** The checkpoint of a line; a text says why it is none of ours. */
export function openCheckpoint(keys: LedgerKeys, line: string): Checkpoint | ReadCheckpoints['bad'][number]['kind'] {
  const checkpoint = parse(line)
  if (checkpoint === undefined) return 'checkpoint-forged'
  const key = keys.find(checkpoint.keyId)
  if (key === undefined) return 'checkpoint-unknown-key'
  return sameMac(checkpoint.mac, checkpointMac(key.checkpoint, checkpoint)) ? checkpoint : 'checkpoint-forged'
}

/** All lines, those that are empty left out. */
export async function readCheckpoints(
  keys: LedgerKeys,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ReadCheckpoints> {
  const read: ReadCheckpoints = { authentic: [], bad: [] }
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text.trim() === '') continue
    const opened = openCheckpoint(keys, text)
    if (typeof opened === 'string') read.bad.push({ line, count: parse(text)?.count ?? 0, kind: opened })
    else read.authentic.push({ ...opened, line })
  }
  return read
}

function checkpointMac(key: Uint8Array, { count, head, at, keyId }: Omit<Checkpoint, 'mac'>): string {
  return hexMac(key, `portcullis-checkpoint-v1\n${JSON.stringify([count, head, at, keyId])}`)
}

function parse(line: string): Checkpoint | undefined {
  try {
    const { count, head, at, keyId, mac } = JSON.parse(line)
    const numbers = [count, at].every((value) => Number.isSafeInteger(value) && value >= 0)
    const texts = [head, keyId, mac].every((value) => typeof value === 'string')
    return numbers && texts ? { count, head, at, keyId, mac } : undefined
  } catch {
    return undefined
  }
}
