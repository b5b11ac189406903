// Taking the beginning of the ledger away by itself: what is older than `ledger.retention`, after it lies in a file of
// its own, whole and on the disk. The file is an export as any other: `portcullis audit verify FILE` verifies it.

import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../observability/folders.js'
import { lockLedgerHead } from '../storage/sql/ledger/ledger-head.js'
import { readLedgerStart, writeLedgerStart } from '../storage/sql/ledger/start.js'
import { archivedRow } from './archived-row.js'
import { checkpointLine } from './checkpoint-lines.js'
import { type PruneDependencies, prunableRows, pruneLedger, removePrunedRows } from './prune.js'
import { openStart, sealedStart } from './start.js'

export interface RetentionSettings {
  /** Undefined: everything stays. */
  retentionMs: number | undefined
  /** The folder of archives; undefined: none is written. */
  archive: string | undefined
}

/** Once. Throws NotPruned, StoreUnavailable, file system errors; then nothing was taken away. */
export async function retainLedger(deps: PruneDependencies, settings: RetentionSettings): Promise<void> {
  await resealStart(deps)
  await removePrunedRows(deps)
  if (settings.retentionMs === undefined) return
  const before = deps.now() - settings.retentionMs
  const rows = await prunableRows(deps, { before })
  if (rows === undefined) return
  if (settings.archive !== undefined) await writeArchive(deps, settings.archive, rows)
  const digest = settings.archive === undefined ? undefined : rows.digest
  await pruneLedger(deps, { through: rows.last, digest }, { actor: { kind: 'system' } })
}

/** A file with its name is complete. */
async function writeArchive(
  deps: PruneDependencies,
  folder: string,
  { first, last, head, digest }: { first: number; last: number; head: string; digest: string },
): Promise<void> {
  await makeFolder(folder, 0o700)
  const name = join(folder, `ledger-${first}-${last}.jsonl`)
  const draft = `${name}.next`
  const handle = await open(draft, 'w', 0o600)
  try {
    const written = await prunableRows(deps, { through: last }, async (row) => {
      await handle.appendFile(`${JSON.stringify(archivedRow(row))}\n`)
    })
    if (written?.digest !== digest) throw new Error(`the ledger changed while ${name} was written`)
    await handle.appendFile(checkpointLine(deps.keys, { count: last, head, at: deps.now() }))
    await handle.sync()
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await rename(draft, name)
  const directory = await open(folder, 'r')
  await directory.sync().finally(() => directory.close())
}

/** Under the newest master key, so that an older one can be taken out of the configuration. */
async function resealStart({ store, keys }: PruneDependencies): Promise<void> {
  const row = await readLedgerStart(store.reader)
  if (row === undefined || row.position === 0 || row.key_id === keys.current.id) return
  await store.transaction(async (tx) => {
    await lockLedgerHead(tx)
    const now = await readLedgerStart(tx)
    if (now === undefined || now.position === 0 || openStart(keys, now).wrong !== undefined) return
    const { position, mac, recorded, at } = now
    await writeLedgerStart(tx, sealedStart(keys, { position, mac, recorded, at }))
  }, 'first-lock')
}
