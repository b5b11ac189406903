// `portcullis migrate-store`: from the embedded store to PostgreSQL, while no server runs.

import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { writtenMasterKeys } from '../../../config/process/written-master-keys.js'
import type { Settings } from '../../../config/settings/settings.js'
import type { StoreSettings } from '../../../config/settings/storage-settings.js'
import { reasonOf } from '../../../observability/reason.js'
import type { Moved, TableStep } from '../../../storage/sql/move/move-store.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { isReadable } from '../../configuration/own-files.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from '../server/settings-file.js'
import { requireMasterKeys } from './master-key-check.js'

export interface MoveStoreOptions extends ConnectionOptions {
  from?: string
  yes?: boolean
  output: OutputFormat
}

/** Runs the command. Throws CommandFailure. */
export async function moveFromFile(options: MoveStoreOptions, terminal: Terminal): Promise<void> {
  const settings = await readSettings(options, terminal)
  const { store } = settings
  if (store.kind !== 'postgresql') {
    throw new CommandFailure(
      exitCodes.usage,
      'store.url (PORTCULLIS_STORE) must name the PostgreSQL database to move to',
    )
  }
  const file =
    options.from === undefined ? join(settings.data.folder, 'portcullis.db') : resolve(terminal.cwd, options.from)
  if (!isReadable(file)) throw new CommandFailure(exitCodes.notFound, `there is no database at ${file}: say --from`)
  await requireConfirmation(terminal, `Move ${file} to the PostgreSQL database of store.url?`, options.yes)
  const begun = performance.now()
  const tables = new Map<string, { copied: number; compared: number }>()
  const moved = await run({ settings, store, file }, terminal, ({ step, table, rows }) => {
    const counts = tables.get(table) ?? { copied: 0, compared: 0 }
    counts[step] = rows
    tables.set(table, counts)
  })
  const filled = [...tables].filter(([, { copied, compared }]) => copied + compared > 0)
  const rows = filled.map(([table, { copied, compared }]) => [table, String(copied), String(compared)])
  const whole = { ...moved, byTable: Object.fromEntries(tables) }
  printList(terminal, options.output, whole, { headings: ['TABLE', 'COPIED', 'COMPARED'], rows })
  report(terminal, moved, (performance.now() - begun) / 1000)
}

async function run(
  {
    settings,
    store,
    file,
  }: { settings: Settings; store: Extract<StoreSettings, { kind: 'postgresql' }>; file: string },
  terminal: Terminal,
  onTable: (step: TableStep) => void,
): Promise<Moved> {
  const [{ moveStore }, { sealedKeysOf }] = await Promise.all([
    import('../../../storage/sql/move/move-store.js'),
    import('../../../storage/sql/copies/sealed-keys.js'),
  ])
  const target = { url: store.url.reveal(), connectMs: store.connectMs }
  // The list at the end has every table with rows: until then only what takes long is said.
  let saidAt = performance.now()
  try {
    return await moveStore({
      file,
      target: store.ca === undefined ? target : { ...target, ca: store.ca },
      now: Date.now,
      onTable(step) {
        if (terminal.interactive && performance.now() - saidAt > 1000) {
          terminal.say(`${step.step} ${step.table}: ${step.rows} rows`)
          saidAt = performance.now()
        }
        onTable(step)
      },
      inspect: (source) =>
        requireMasterKeys(
          writtenMasterKeys(settings),
          sealedKeysOf(source),
          'Set secrets.masterKeys (PORTCULLIS_MASTER_KEYS) to those of the server that wrote the file',
        ),
    })
  } catch (error) {
    throw await explained(error)
  }
}

function report(terminal: Terminal, { tables, rows, resumed, already }: Moved, seconds: number): void {
  if (already) {
    terminal.say(`PostgreSQL has all ${rows} rows already. The file is marked as moved.`)
    return
  }
  const before = resumed === 0 ? '' : `, ${resumed} of them copied by an earlier attempt`
  terminal.say(`${rows} rows of ${tables} tables are in PostgreSQL, each compared (${seconds.toFixed(1)} s)${before}.`)
  terminal.say('Next: start the server with the same configuration and the same master keys.')
}

/** The target is not one to move to: the same command would end the same way. */
const refusals = new Set<unknown>(['target_refuses', 'invalid_store_url', 'unsafe_database', 'unknown_schema'])

/** Every failure leaves PostgreSQL without this store and the file as it was; the message says so. */
async function explained(error: unknown): Promise<unknown> {
  if (error instanceof CommandFailure) return error
  const { DatabaseInUse } = await import('../../../storage/sql/copies/exclusive.js')
  if (error instanceof DatabaseInUse) {
    return new CommandFailure(exitCodes.failed, 'a server runs on this database file: stop it first. Nothing was moved')
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  // What differs is of no use to people whose database has another store.
  const why = code === 'target_refuses' && error instanceof Error ? error.message : reasonOf(error)
  if (refusals.has(code)) {
    return new CommandFailure(exitCodes.failed, `${why}. Nothing was moved, and the file is unchanged`, {
      cause: error,
    })
  }
  const again = 'Nothing is served from PostgreSQL yet, the file is unchanged, and the same command goes on from here'
  const exitCode = code === 'store_unavailable' ? exitCodes.unreachable : exitCodes.failed
  return new CommandFailure(exitCode, `${why}. ${again}`, { cause: error })
}
