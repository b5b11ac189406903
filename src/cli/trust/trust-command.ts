// `portcullis trust`: the development authority of this server into the stores of this machine, and out again.

import { type Command, Option } from 'commander'
import { addConfigOption } from '../calls/connection-options.js'
import type { Terminal } from '../output/terminal.js'
import type { TrustOptions } from './trust.js'

const help = `
After it, browsers and programs of this machine accept https://localhost of this development server. The authority can
sign names of this machine only, and its key never leaves the data folder. The system's store needs the administrator's
rights (sudo asks); browsers that keep stores of their own need certutil. Restart browsers that are open.

  portcullis trust --print      which commands would run, and nothing else
  portcullis trust --remove     out of all stores again
`

/** Adds `trust`. It ends with 1 when a store did not take it. */
export function addTrustCommand(program: Command, terminal: Terminal): void {
  addConfigOption(program.command('trust').description('have this machine trust the development server'))
    .option('--remove', 'take the authority out again')
    .option('--print', 'only print the commands that would run')
    .addOption(new Option('--store <which>', 'in which stores').choices(['all', 'system', 'browsers']).default('all'))
    .addHelpText('after', help)
    .action(async (options: TrustOptions) => (await import('./trust.js')).trust(options, terminal))
}
