// `portcullis backup` on the command line; what it does is loaded when it runs.

import type { Command } from 'commander'
import { addConfigOption } from '../../calls/connection-options.js'
import { outputOption } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { BackupOptions } from './backup.js'

const backupHelp = `
The copy is the state of one moment, while the server goes on; calls and writes do not wait for it. The folder is whole
when it has its name, so a job that ends in the middle leaves nothing that looks like a backup.

It has the database and the checkpoints of the audit log. It has no master key: keep those apart, because together they
are everything. --with-keys adds the key and the certificate authority that a development server made for itself.

  portcullis backup
  portcullis backup /var/backups/portcullis-$(date +%F)
  portcullis restore /var/backups/portcullis-2026-11-23

On PostgreSQL use pg_dump; this command prints how.
`

/** Adds `backup`. */
export function addBackupCommand(program: Command, terminal: Terminal): void {
  addConfigOption(program.command('backup').description('copy the database while the server runs'))
    .argument('[folder]', 'the folder to make (default: portcullis-backup- and the time)')
    .option('--with-keys', 'with the keys that a development server made for itself')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', backupHelp)
    .action(async (folder: string | undefined, options: BackupOptions) => {
      await (await import('./backup.js')).backup({ folder, options, version: program.version() ?? '' }, terminal)
    })
}
