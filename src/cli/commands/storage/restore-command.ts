// `portcullis restore` on the command line; what it does is loaded when it runs.

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { addConfigOption } from '../../calls/connection-options.js'
import type { Terminal } from '../../output/terminal.js'
import type { RestoreOptions } from './restore.js'

const restoreHelp = `
Stop the server first. The backup is checked before anything changes: its digests, its pages, its version, and that this
server's master keys open it. What is in the data folder now stays there under another name.

What happened since the backup is forgotten, revocations too. Afterwards revoke again what you know of, or end every
token of before with: portcullis keys rotate --immediately --yes

  portcullis restore portcullis-backup-2026-11-23T09-30-00Z
`

/** Adds `restore`. */
export function addRestoreCommand(program: Command, terminal: Terminal): void {
  addConfigOption(program.command('restore').description('put a backup in place of the database'))
    .argument('<folder>', 'what portcullis backup made')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', restoreHelp)
    .action(async (folder: string, options: RestoreOptions) =>
      (await import('./restore.js')).restore(resolve(terminal.cwd, folder), options, terminal),
    )
}
