// `portcullis overview` and `portcullis top` on the command line; what they do is loaded when they run.

import { type Command, Option } from 'commander'
import { durationSeconds, wholeNumber } from '../../arguments.js'
import { addConnectionOptions } from '../../calls/connection-options.js'
import { outputOption } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { OverviewOptions } from './overview.js'
import type { TopOptions } from './top.js'

const overviewHelp = `
The numbers of the portal's first page: calls, what waits for somebody, and how the server is doing. What the caller may not
see is left out, and said.

  portcullis overview
  portcullis overview --last 1h --tenant Contoso
  portcullis overview -o json
`

const topHelp = `
Each route with each application that called it in the last hour, the most called first; on a terminal again and again
until Ctrl+C, then with the calls of each second. Counts are some seconds behind.

  portcullis top
  portcullis top -n 5 --every 10s
  portcullis top -o json
`

/** Adds `overview` and `top`. */
export function addOverviewCommands(program: Command, terminal: Terminal): void {
  addConnectionOptions(
    program.command('overview').description('calls, what waits for somebody, how the server is doing'),
  )
    .addOption(
      new Option('--last <stretch>', 'of the last hour, or of the last day').choices(['1h', '24h']).default('24h'),
    )
    .option('--tenant <tenant>', 'only of this tenant: tenant id or exact name')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', overviewHelp)
    .action(async (options: OverviewOptions) => (await import('./overview.js')).overview(options, terminal))
  addConnectionOptions(program.command('top').description('who calls what at this moment, the most called first'))
    .option('--tenant <tenant>', 'only of this tenant: tenant id or exact name')
    .option('-n, --limit <number>', 'at most so many lines', wholeNumber, 20)
    .option('--every <duration>', 'how often to look on a terminal', durationSeconds, 3)
    .option('--count <number>', 'end after so many refreshes', wholeNumber)
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', topHelp)
    .action(async (options: TopOptions) => (await import('./top.js')).top(options, terminal))
}
