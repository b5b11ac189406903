// Files of `portcullis audit export`: verified without a server, and compared with what is to be removed.

import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from '../server/settings-file.js'
import { sayProblem } from './problems.js'

/** The lines of a file. Throws CommandFailure when it cannot be read. */
export async function* linesOf(file: string, terminal: Terminal): AsyncGenerator<string> {
  const handle = await open(resolve(terminal.cwd, file)).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  try {
    for await (const line of handle.readLines({ autoClose: false })) yield line
  } catch (error) {
    throw unreadable(file, error)
  } finally {
    await handle.close()
  }
}

/** Not exit code 1: that says of the archive that it was tampered with. */
function unreadable(file: string, error: unknown): CommandFailure {
  const why = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return new CommandFailure(exitCodes.usage, `${file} cannot be read${why}`, { cause: error })
}

/**
 * Verifies the file with the master keys of the configuration. Throws CommandFailure: exit code 1 when something is
 * wrong.
 */
export async function verifyFile(
  file: string,
  options: ConnectionOptions & { output: OutputFormat },
  terminal: Terminal,
): Promise<void> {
  const [{ writtenMasterKeys }, { createLedgerKeys }, { verifyArchive }] = await Promise.all([
    import('../../../config/process/written-master-keys.js'),
    import('../../../ledger/ledger-keys.js'),
    import('../../../ledger/archive.js'),
  ])
  const masterKeys = writtenMasterKeys(await readSettings(options, terminal))
  if (masterKeys.length === 0) {
    const message =
      'there is no master key here, and nothing can be verified without: name the configuration with --config'
    throw new CommandFailure(exitCodes.usage, message)
  }
  const found = await verifyArchive(createLedgerKeys(masterKeys), linesOf(file, terminal))
  if (found.count === 0) throw new CommandFailure(exitCodes.usage, `${file} has no rows of a ledger`)
  const problems = found.problems.map((problem) => ({ label: 'problem', value: sayProblem(problem) }))
  printRecord(terminal, options.output, found, [
    { label: 'archive', value: found.clean ? 'clean' : 'TAMPERED WITH' },
    { label: 'rows', value: `${found.first} to ${found.last}` },
    { label: 'head', value: found.head },
    { label: 'checkpoints', value: String(found.checkpoints) },
    ...(options.output === 'json' ? [] : problems),
  ])
  if (!found.clean) throw new CommandFailure(exitCodes.failed, 'the archive is not what was written')
  if (found.checkpoints === 0) {
    terminal.say('The file has no checkpoint: rows that were cut off its end cannot be missed.')
  }
}
