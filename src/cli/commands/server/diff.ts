// `portcullis diff [OLD] NEW`: what a change of the configuration takes from, or gives to, whom, before it is loaded.

import type { Command } from 'commander'
import { Option } from 'commander'
import { wholeNumber } from '../../arguments.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { placedFile } from '../../configuration/placed-file.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { printJson } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { planCountsOf } from '../plans/plan-counts.js'
import { activeRules, grantsOf, namesServer, rulesOfFile } from './configurations.js'

interface DiffOptions extends ConnectionOptions {
  output: 'text' | 'json'
  most: number
  as?: string
}

const help = `
Compares two files, or with one file the rules that the server runs with. Every kind of request that the routes can tell
apart is decided under both. The server tells what applications and people are granted, so that it is counted who gains
and who loses what, and how many are on a plan that changes; where no server runs, calls, permissions and plans are
compared without them.
Ends with 0 when nobody gains or loses a call and none goes elsewhere, 1 when somebody does, 2 when a file has mistakes.

A file without version: is one that the configuration includes, and is read in the place of that with its name.

  portcullis diff portcullis.yaml new.yaml
  portcullis diff new.yaml
`

/** Adds `diff`. */
export function addDiffCommand(program: Command, terminal: Terminal): void {
  addConnectionOptions(program.command('diff').description('who gains or loses what by a change of the configuration'))
    .argument('<old>', 'the file as it is; alone it is compared with the active configuration')
    .argument('[new]', 'the file as it will be')
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .option('--as <file>', 'the included file in whose place it is read, as include names it')
    .option('--most <number>', 'how many of each kind to print', wholeNumber, 20)
    .addHelpText('after', help)
    .action(async (first: string, second: string | undefined, options: DiffOptions) => {
      if (await diff(first, second, options, terminal)) throw new CommandFailure(exitCodes.failed, 'access changes')
    })
}

async function diff(
  first: string,
  second: string | undefined,
  { output, most, as, ...connection }: DiffOptions,
  terminal: Terminal,
): Promise<boolean> {
  const [{ accessDiff }, { accessDiffLines, accessDiffSummary }] = await Promise.all([
    import('../../../gateway/diff/access-diff.js'),
    import('../../../gateway/diff/diff-lines.js'),
  ])
  const place = { as, config: connection.config }
  const placed = await placedFile(second ?? first, place, terminal)
  const after = await rulesOfFile(placed, terminal)
  const known = second === undefined ? undefined : await rulesOfFile(await placedFile(first, place, terminal), terminal)
  // The file that is compared says where its own server is.
  const named =
    connection.config !== undefined || namesServer(connection) ? connection : { config: placed.config ?? first }
  const client = await connect(named, terminal)
  const before = known ?? (await activeRules(client))
  const grants = await grantsOf(client)
  // Without plans nobody needs to be counted.
  const counts = before.plans.size + after.plans.size === 0 ? undefined : await planCountsOf(client)
  const found = accessDiff(before, after, grants, counts)
  if (output === 'json') printJson(terminal, { ...found, holders: found.holders ?? null })
  else for (const line of accessDiffLines(found, most)) terminal.out(`${printable(line)}\n`)
  if (grants === undefined) terminal.say('No server runs here: applications and people are not counted.')
  terminal.say(accessDiffSummary(found))
  return found.calls.length > 0
}
