// `portcullis restore` without a folder: PostgreSQL's own tools have put an earlier state into the database, and what was
// issued ends, while no instance runs.

import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Settings } from '../../../config/settings/settings.js'
import type { InstanceRow } from '../../../storage/sql/cluster/instances.js'
import type { PresentStore } from '../../../storage/sql/postgresql/present-store.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'
import { allEnded, reportNotKnown } from './restore-report.js'

type PostgresSettings = Extract<Settings['store'], { kind: 'postgresql' }>

/**
 * Ends what was issued. Throws CommandFailure, with nothing changed, for an empty database and for one that an instance
 * uses; else what openStore throws.
 */
export async function endRestore(
  settings: Settings,
  store: PostgresSettings,
  { yes, keepTokens }: { yes?: boolean; keepTokens?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (keepTokens === true) {
    throw new CommandFailure(exitCodes.usage, 'PostgreSQL has restored it: without this command every token goes on')
  }
  const { openPresentStore } = await import('../../../storage/sql/postgresql/present-store.js')
  const present = openPresentStore(store)
  try {
    const rows = await requireUnused(present, settings.revocation.staleAfterMs, terminal)
    const text =
      'Every token, sign-in, one-time link and registration token in the PostgreSQL database of store.url ends. End them?'
    await requireConfirmation(terminal, text, yes)
    const { changedInstances } = await import('../../../cluster/live-instances.js')
    refuseLive(changedInstances(rows, await present.instances()))
  } finally {
    await present.close()
  }
  await endEverything(store, terminal)
}

/** The rows of instances as last read, none of which lives. */
async function requireUnused(
  present: PresentStore,
  forMs: number,
  terminal: Terminal,
): Promise<readonly InstanceRow[]> {
  if (!(await present.isThere())) {
    const message = 'this database holds no Portcullis store: run pg_restore first. Nothing was changed'
    throw new CommandFailure(exitCodes.notFound, message)
  }
  const listed = (await present.instances()).length
  if (listed > 0) {
    const them = listed === 1 ? '1 instance' : `${listed} instances`
    terminal.say(`The database lists ${them}: for ${Math.ceil(forMs / 1000)} s this looks whether one still runs.`)
  }
  const { watchInstances } = await import('../../../cluster/live-instances.js')
  const monotonic = () => performance.now()
  const { live, rows } = await watchInstances({ read: () => present.instances(), forMs, monotonic, pause })
  refuseLive(live)
  return rows
}

/** Throws CommandFailure when there is one. */
function refuseLive(live: readonly InstanceRow[]): void {
  if (live.length === 0) return
  const names = live.map(({ name }) => name).join(', ')
  const who = live.length === 1 ? 'an instance uses this database' : `${live.length} instances use this database`
  throw new CommandFailure(
    exitCodes.failed,
    `${who} (${names}, seen just now). Stop all instances first. Nothing was changed`,
  )
}

/** For what is done once, to a store of any size. */
const longestStatementMs = 600_000

async function endEverything(store: PostgresSettings, terminal: Terminal): Promise<void> {
  const [{ openStore }, { endIssued }, { successorsFirst }, { listSigningKeys }] = await Promise.all([
    import('../../../storage/sql/open-store.js'),
    import('../../../storage/sql/copies/issued.js'),
    import('../../../storage/sql/copies/sealed-keys.js'),
    import('../../../storage/sql/revocation/signing-keys.js'),
  ])
  // Of a large store more than the time that a request may take.
  const opened = await openStore({ ...store, statementMs: Math.max(store.statementMs, longestStatementMs) })
  try {
    await endIssued(opened, Date.now())
    const keys = successorsFirst(await listSigningKeys(opened.reader))
    terminal.say(allEnded)
    reportNotKnown(terminal, keys)
    terminal.say(
      'Before you start the instances, move ledger-checkpoints.jsonl* of each data folder away, and keep them:',
    )
    terminal.say('they know of later rows, and portcullis audit verify would say that those were cut off.')
  } finally {
    await opened.close()
  }
}
