// `portcullis check`: reads the configuration as `serve` would and reports every mistake at once, without starting
// anything. The findings are its result, so they go to standard output.

import type { Command } from 'commander'
import { Option } from 'commander'
import type { Settings } from '../../../config/settings/settings.js'
import { addConfigOption } from '../../calls/connection-options.js'
import { placedOptions } from '../../configuration/placed-file.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { printJson } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { configurationFile, type PlacedOptions } from './settings-file.js'

interface CheckOptions extends PlacedOptions {
  as?: string
  mode?: Settings['mode']
  output: 'text' | 'json'
  print?: boolean
}

/** Adds `check`. */
export function addCheckCommand(program: Command, terminal: Terminal): void {
  addConfigOption(program.command('check').description('check the configuration and print every problem'))
    .argument('[file]', 'the file to check (default: as --config says)')
    .option('--as <file>', 'the included file in whose place it is read, as include names it')
    .addOption(
      new Option('--mode <mode>', 'for a start in this mode (default: as the file and PORTCULLIS_MODE say)').choices([
        'production',
        'development',
      ]),
    )
    .option('--print', 'print the settings in effect, secrets masked')
    .addOption(new Option('-o, --output <format>', 'how to print problems').choices(['text', 'json']).default('text'))
    .action(async (file: string | undefined, options: CheckOptions) => {
      await check({ ...options, ...(await placedOptions(file, options, terminal)) }, terminal)
    })
}

async function check(options: CheckOptions, terminal: Terminal): Promise<void> {
  const [{ loadSettings }, problems] = await Promise.all([
    import('../../../config/read/load.js'),
    import('../../../config/report/problem.js'),
  ])
  const file = await configurationFile(options, terminal)
  let settings: Settings
  const env = options.mode === undefined ? terminal.env : { ...terminal.env, PORTCULLIS_MODE: options.mode }
  try {
    settings = loadSettings({
      file,
      env,
      cwd: terminal.cwd,
      ...(options.reader === undefined ? {} : { reader: options.reader }),
    })
    // The gate that runs them is loaded only where there are any.
    if (settings.tests.length > 0) await (await import('../../../gateway/explain/call-tests.js')).checkTests(settings)
  } catch (error) {
    if (!(error instanceof problems.ConfigurationErrors)) throw error
    if (options.output === 'json') printJson(terminal, error.problems)
    else terminal.out(error.problems.map((problem) => `${problems.formatProblem(problem)}\n`).join(''))
    throw new CommandFailure(
      exitCodes.usage,
      `${counted(error.problems.length, 'problem')} in ${filesOf(error.problems, file)}`,
    )
  }
  const mode = options.mode ?? settings.mode
  const { startRefusals } = await import('../../configuration/start-refusals.js')
  const refusals = await startRefusals({ ...settings, mode }, terminal)
  if (refusals.length > 0) {
    const at = { file, line: 1, column: 1, path: '' }
    if (options.output === 'json')
      printJson(
        terminal,
        refusals.map((message) => ({ ...at, message })),
      )
    else terminal.out(refusals.map((message) => `${message}\n`).join(''))
    throw new CommandFailure(
      exitCodes.usage,
      `a start in ${mode} mode would be refused, ${counted(refusals.length, 'reason')}`,
    )
  }
  for (const warning of settings.warnings) terminal.say(`warning: ${problems.formatProblem(warning)}`)
  const { certificateWarnings } = await import('../../configuration/certificate-files.js')
  const nowMs = terminal.now?.() ?? Date.now()
  for (const warning of certificateWarnings(settings, nowMs)) terminal.say(`warning: ${warning}`)
  // Several processes need it, and a single process sees no difference.
  if (settings.store.kind === 'postgresql') terminal.say(perProcess)
  if (options.print === true) {
    const { maskedSettings } = await import('../../../config/read/settings-mask.js')
    printJson(terminal, maskedSettings(settings))
  } else if (options.output === 'json') printJson(terminal, [])
  const { routes, upstreams, tests } = settings
  const passed = tests.length === 0 ? '' : `, ${counted(tests.length, 'test')} passed`
  const what = `${counted(routes.length, 'route')}, ${counted(upstreams.size, 'upstream')}${passed}`
  terminal.say(`${file} is good${mode === 'production' ? ' for production' : ''}: ${what}.`)
}

const perProcess =
  'note: server.limits.perAddress and connections, and tokens.failedAuthentications, are counted in each process: with four instances or workers a client has four times as much. Limits are shared through Redis.'

/** Where the problems are: an included file by its name, which is what somebody has to open. */
function filesOf(problems: readonly { file: string }[], main: string): string {
  const files = [...new Set(problems.map((problem) => problem.file))]
  const [first = main] = files
  if (files.length === 1) return first
  return `${main} and what it includes`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
