// The file of checkpoints: one more line when the chain has grown. It lies beside the database and not in it, and is
// worth most as a copy somewhere else. A full disk keeps nobody from working: the next round tries again.

import { type FileHandle, open } from 'node:fs/promises'
import { readLedgerHead } from '../storage/sql/ledger/ledger-head.js'
import { checkpointLine, openCheckpoint } from './checkpoint-lines.js'
import { readWatchedFile, type WatchedFile } from './watched-file.js'

/** Much longer than any of ours. */
const longestLine = 4_096

/** The ledger is not what it was at the last checkpoint; `portcullis audit verify` says more. */
export class LedgerShortened extends Error {
  readonly code = 'ledger_shortened'
}

export interface Checkpoints {
  /**
   * Writes a line when there is something new. Throws StoreUnavailable; LedgerShortened, once, when the chain has
   * become shorter (the line is written); a file system error the first time that it fails in a row.
   */
  write(): Promise<void>
  /** Adds a line that another watch has sealed. Throws file system errors. */
  keep(line: string): Promise<void>
  /** The complete lines of the file, oldest first; none when there is no file. */
  lines(): Promise<string[]>
}

/** Checkpoints in a file. */
export function createCheckpoints(options: WatchedFile): Checkpoints {
  const { file, store, keys, now } = options
  let last: { count: number; head: string } | undefined
  let failing = false

  async function lines(): Promise<string[]> {
    const text = await readWatchedFile(file)
    // A line that has no end was not written to its end, and says nothing.
    return text.split('\n').slice(0, -1)
  }
  async function newest() {
    const opened = openCheckpoint(keys, (await lines()).at(-1) ?? '')
    return typeof opened === 'string' ? { count: 0, head: '' } : opened
  }
  return {
    lines,
    keep: (line) => append(file, line),
    async write() {
      const { position: count, mac: head } = await readLedgerHead(store.reader)
      try {
        last ??= await newest()
        if (last.count === count && last.head === head) return
        await append(file, checkpointLine(keys, { count, head, at: now() }))
        failing = false
      } catch (error) {
        if (failing) return
        failing = true
        throw error
      }
      const before = last
      last = { count, head }
      if (count > before.count) return
      throw new LedgerShortened(
        `the ledger has ${count} rows but had ${before.count} at the last checkpoint, or its last row is another one`,
      )
    },
  }
}

/** Durable when it resolves; what a full disk, or a machine that lost its power, took half of is taken back. */
async function append(file: string, line: string): Promise<void> {
  const handle = await open(file, 'a+', 0o600)
  try {
    const complete = await lengthOfLines(handle)
    await handle.truncate(complete)
    try {
      await handle.writeFile(line)
      await handle.sync()
    } catch (error) {
      await handle.truncate(complete).catch(() => undefined)
      throw error
    }
  } finally {
    await handle.close()
  }
}

/** Up to where the file consists of lines that have their end. */
async function lengthOfLines(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat()
  const length = Math.min(size, longestLine)
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
  const end = buffer.lastIndexOf('\n')
  if (end !== -1) return size - length + end + 1
  return length < size ? size : 0
}
