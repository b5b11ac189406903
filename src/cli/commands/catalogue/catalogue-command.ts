// `portcullis catalogue …`: the APIs that applications can be given access to, and who calls them. What the commands do
// is loaded when they run.

import type { Command } from 'commander'
import { addConnectionOptions } from '../../calls/connection-options.js'
import { listOption } from '../../output/list-option.js'
import { outputOption } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { CallersOptions, CatalogueOptions } from './catalogue-options.js'

const apiHelp = 'API: its id, name or identifier (see: catalogue list)'
const callersHelp = `
Calls that were refused are among them. Those of the last seconds are not counted yet. Before something ends:

  portcullis catalogue show posts                             # its operations, and which of them end
  portcullis catalogue callers posts --operation listPosts    # who would miss that one
`

/** Adds `catalogue` and its commands. */
export function addCatalogueCommands(program: Command, terminal: Terminal): void {
  const group = program.command('catalogue').description('the APIs that applications can be given access to')
  addConnectionOptions(group.command('list').description('list the APIs, with the permissions that they take'))
    .option('--search <words>', 'only those that have all of these words in a name, a permission or a path')
    .addOption(listOption())
    .action(async (options: CatalogueOptions) => (await commands()).listApis(options, terminal))
  addConnectionOptions(group.command('show').description('its permissions and who consents to them, its operations'))
    .argument('<api>', apiHelp)
    .addOption(outputOption(['table', 'json']))
    .action(async (api: string, options: CatalogueOptions) => (await commands()).showApi(api, options, terminal))
  addConnectionOptions(group.command('callers').description('who still calls it: last hour, 24 hours, 30 days'))
    .argument('<api>', apiHelp)
    .option('--operation <id>', 'only this operation (see: catalogue show)')
    .option('--everywhere', 'in all tenants; for operators')
    .addOption(listOption())
    .addHelpText('after', callersHelp)
    .action(async (api: string, options: CallersOptions) => (await commands()).listCallers(api, options, terminal))
}

const commands = () => import('./catalogue.js')
