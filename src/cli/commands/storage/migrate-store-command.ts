// `portcullis migrate-store` on the command line; what it does is loaded when it runs.

import type { Command } from 'commander'
import { addConfigOption } from '../../calls/connection-options.js'
import { outputOption } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { MoveStoreOptions } from './migrate-store.js'

const moveHelp = `
The target is what the configuration names: give this command the store.url (PORTCULLIS_STORE) that the server will run
with, and an empty database. Stop the server first; it stays stopped until the rows are there.

Rows go into a schema of their own, in pages. When all are there, each is compared with its original, and then they
appear at once: an instance never sees half a store. A move that ends early is gone on with by the same command.
Tokens, sessions and keys stay good: the master keys must be the same.

  export PORTCULLIS_STORE=postgresql://portcullis:…@db.example.com/portcullis
  portcullis migrate-store
  portcullis serve

The file stays, marked as moved: no server starts on it again by mistake.
`

/** Adds `migrate-store`. */
export function addMigrateStoreCommand(program: Command, terminal: Terminal): void {
  addConfigOption(program.command('migrate-store').description('move the embedded database to PostgreSQL'))
    .option('--from <file>', 'the database file (default: portcullis.db in the data folder)')
    .option('-y, --yes', 'do not ask')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', moveHelp)
    .action(async (options: MoveStoreOptions) => (await import('./migrate-store.js')).moveFromFile(options, terminal))
}
