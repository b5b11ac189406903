// `portcullis audit prune`: the beginning of the ledger leaves, when an export has it.

import type { Command } from 'commander'
import type { PrunableAnswer, PrunedAnswer } from '../../../management/audit/audit-schemas.js'
import { durationSeconds } from '../../arguments.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'
import { linesOf } from './archive.js'

interface PruneOptions extends ConnectionOptions {
  before?: string
  keep?: number
  export: string | false | undefined
  yes?: boolean
}

/** A long ledger is read once before anything leaves. */
const patienceMs = 30 * 60_000

const pruneHelp = `
Needs --before or --keep, and --export or --no-export. Rows leave from the oldest on, and only those that the export has.
The ledger keeps a row that says who removed how many, and audit verify finds whatever was removed otherwise.

  portcullis audit export > ledger.jsonl
  portcullis audit verify ledger.jsonl
  portcullis audit prune --keep 400d --export ledger.jsonl
`

/** Adds `audit prune`. */
export function addPruneCommand(audit: Command, terminal: Terminal): void {
  addConnectionOptions(audit.command('prune').description('remove the oldest events, after they were exported'))
    .option('--before <time>', 'older than this time, such as 2026-01-31 or 2026-01-31T09:30:00Z')
    .option('--keep <duration>', 'older than this, such as 400d', durationSeconds)
    .option('--export <file>', 'a file of portcullis audit export that has them')
    .option('--no-export', 'there is no export, and nobody will know what they said')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', pruneHelp)
    .action(async (options: PruneOptions) => prune(options, terminal))
}

async function prune(options: PruneOptions, terminal: Terminal): Promise<void> {
  const before = timeOf(options)
  if (options.export === undefined) {
    throw new CommandFailure(
      exitCodes.usage,
      'name a file of portcullis audit export with --export, or say --no-export',
    )
  }
  const client = await connect(options, terminal)
  const path = `/auditEvents/pruning?before=${encodeURIComponent(before)}`
  const { rows } = (await client.call('GET', path, undefined, { patienceMs })) as PrunableAnswer
  if (rows === undefined) return terminal.say('Nothing in the ledger is older than that.')
  const proof =
    options.export === false ? { withoutExport: true } : { digest: await digestOf(options.export, rows, terminal) }
  const question = `Remove events ${rows.first} to ${rows.last} from the ledger?`
  await requireConfirmation(terminal, question, options.yes)
  const body = { through: rows.last, ...proof }
  const pruned = (await client.call('POST', '/auditEvents/pruning', body, { patienceMs })) as PrunedAnswer
  terminal.say(`Removed ${pruned.count} events, ${pruned.first} to ${pruned.last}. The ledger says so.`)
}

function timeOf({ before, keep }: PruneOptions): string {
  if ((before === undefined) === (keep === undefined)) {
    throw new CommandFailure(exitCodes.usage, 'say which events with --before or --keep, one of them')
  }
  return before ?? new Date(Date.now() - (keep ?? 0) * 1000).toISOString()
}

async function digestOf(file: string, rows: NonNullable<PrunableAnswer['rows']>, terminal: Terminal): Promise<string> {
  const { archiveDigest } = await import('../../../ledger/archive.js')
  const digest = await archiveDigest(linesOf(file, terminal), rows)
  if (digest !== undefined) return digest
  const message = `${file} does not have all of the events ${rows.first} to ${rows.last}: export again`
  throw new CommandFailure(exitCodes.failed, message)
}
