// What this instance last saw of the end of the chain, sealed in a small file beside that of the checkpoints. Rows that
// are cut off together with the head leave nothing in the database that says so: an observer that looks every second
// misses them at once, and after a new start too. A checkpoint every second would do the same and never stop growing.

import { open, rename } from 'node:fs/promises'
import { readLedger } from '../storage/sql/ledger/ledger-entries.js'
import { type LedgerHead, readLedgerHead } from '../storage/sql/ledger/ledger-head.js'
import { readLedgerStart } from '../storage/sql/ledger/start.js'
import type { Store } from '../storage/sql/store.js'
import { checkpointLine, openCheckpoint } from './checkpoint-lines.js'
import { LedgerShortened } from './checkpoints.js'
import { type LedgerKeys, sameMac } from './ledger-keys.js'
import { openStart } from './start.js'
import { readWatchedFile, type WatchedFile } from './watched-file.js'

export interface HeadWatch {
  /**
   * Compares the head with the one of before, and seals it when the chain has grown. Throws StoreUnavailable;
   * LedgerShortened when rows of before are not there any more (once for each time; the seal of before is kept as a
   * checkpoint); a file system error the first time that it fails in a row.
   */
  look(): Promise<void>
  /** The sealed line, for verifying: none before the first look. */
  lines(): Promise<string[]>
}

/** The file is replaced whole each time. `keep` adds a line to the checkpoints. */
export function createHeadWatch(options: WatchedFile & { keep: (line: string) => Promise<void> }): HeadWatch {
  const { file, store, keys, now, keep } = options
  let last: LedgerHead | undefined
  let failing = false

  const sealed = async (): Promise<string | undefined> => {
    const text = await readWatchedFile(file)
    return text === '' ? undefined : text.trimEnd()
  }
  const remembered = async (): Promise<LedgerHead> => {
    const line = await sealed()
    const opened = line === undefined ? undefined : openCheckpoint(keys, line)
    return typeof opened === 'object' ? { position: opened.count, mac: opened.head } : { position: 0, mac: '' }
  }
  const seal = async (head: LedgerHead): Promise<void> => {
    const line = checkpointLine(keys, { count: head.position, head: head.mac, at: now() })
    try {
      await replace(file, line)
      failing = false
    } catch (error) {
      if (failing) return
      failing = true
      throw error
    }
  }

  return {
    async look() {
      last ??= await remembered()
      const before = last
      const head = await readLedgerHead(store.reader)
      if (head.position === before.position && head.mac === before.mac) return
      if (await continues({ store, keys }, before, head)) {
        last = head
        return seal(head)
      }
      // Before anything is written over it: it is what shows that there was more.
      const line = await sealed()
      if (line !== undefined) await keep(`${line}\n`)
      last = head
      await seal(head)
      throw new LedgerShortened(
        `the ledger has ${head.position} rows, and row ${before.position}, which it had, is another one or gone: see portcullis audit verify`,
      )
    },
    async lines() {
      const line = await sealed()
      return line === undefined ? [] : [line]
    },
  }
}

/** Whether the chain up to `head` has the row that was its last before, or had it until it was taken away by order. */
async function continues(
  { store, keys }: { store: Pick<Store, 'reader'>; keys: LedgerKeys },
  before: LedgerHead,
  head: LedgerHead,
): Promise<boolean> {
  if (before.position === 0) return true
  if (head.position < before.position) return false
  const [row] = await readLedger(store.reader, before.position - 1, 1)
  if (row?.position === before.position) return sameMac(row.mac, before.mac)
  const { start, wrong } = openStart(keys, await readLedgerStart(store.reader))
  if (wrong !== undefined || start.position < before.position) return false
  return start.position > before.position || sameMac(start.mac, before.mac)
}

/** Whole or not at all, also when the power fails in between. */
async function replace(file: string, text: string): Promise<void> {
  const next = `${file}.next`
  const handle = await open(next, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(next, file)
}
