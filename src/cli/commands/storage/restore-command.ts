// `portcullis restore` on the command line; what it does is loaded when it runs.

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { addConfigOption } from '../../calls/connection-options.js'
import type { Terminal } from '../../output/terminal.js'
import type { RestoreOptions } from './restore.js'

const restoreHelp = `
Stop the server first. The backup is checked before anything changes: its digests, its pages, its version, and that this
server's master keys open it. What is in the data folder now stays there under another name.

What happened since the backup is forgotten. So every token, sign-in and one-time link ends: a token that was revoked
since would work again. What the present database knows to have ended (secrets, keys, webhooks, consents, roles,
passwords, addresses, disabled people) stays ended in what is still there. --keep-tokens lets tokens and sign-ins go on,
for a move to another machine.

With PostgreSQL, restore with its own tools, then run this command without a folder.

  portcullis restore portcullis-backup-2026-11-23T09-30-00Z
`

/** Adds `restore`. */
export function addRestoreCommand(program: Command, terminal: Terminal): void {
  addConfigOption(program.command('restore').description('put a backup in place of the database'))
    .argument('[folder]', 'what portcullis backup made; none after pg_restore')
    .option('--keep-tokens', 'let tokens and sign-ins go on that are not known to have ended')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', restoreHelp)
    .action(async (folder: string | undefined, options: RestoreOptions) =>
      (await import('./restore.js')).restore(
        folder === undefined ? undefined : resolve(terminal.cwd, folder),
        options,
        terminal,
      ),
    )
}
