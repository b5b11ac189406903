// `portcullis usage export`: the counted calls of a month, for billing.

import { type Command, InvalidArgumentError, Option } from 'commander'
import { addConnectionOptions } from '../../calls/connection-options.js'
import type { Terminal } from '../../output/terminal.js'
import type { UsageExportOptions } from './usage-export.js'

const exportHelp = `
Every call that was counted is in exactly one line, so the lines add up to the usage. Days are in UTC; names and plans
are those of now. A name that a spreadsheet would take for a formula begins with an apostrophe in the CSV.

  portcullis usage export --month 2026-11 --format csv >usage-2026-11.csv
  portcullis usage export --month 2026-11 --by route --tenant Contoso --format json
`

/** Adds `usage export`. */
export function addUsageExport(usage: Command, terminal: Terminal): void {
  addConnectionOptions(usage.command('export').description('the counted calls of a month, for billing'))
    .option('--month <month>', 'such as 2026-11 (default: this month)', monthArgument)
    .addOption(new Option('--format <format>', 'how to print it').choices(['csv', 'json']).default('csv'))
    .addOption(
      new Option('--by <what>', 'a line for each day and application, or also for each route')
        .choices(['day', 'route'])
        .default('day'),
    )
    .option('--app <app>', 'only of this application: id, public key or exact name')
    .option('--tenant <tenant>', 'only in this tenant, id or name')
    .addHelpText('after', exportHelp)
    .action(async (options: UsageExportOptions) => (await import('./usage-export.js')).exportUsage(options, terminal))
}

function monthArgument(text: string): string {
  if (!/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('Write a month such as 2026-11.')
  return text
}
