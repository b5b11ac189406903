// The command line. One file a command; command-groups.ts is its table of contents. Commands that manage speak to the
// running server over its local socket and never open its Store; `serve` and `backend` are handed in from above.
// Whatever is slow to load (the configuration's parser, TLS, completion) is imported by the command that needs it.

import { Command, CommanderError } from 'commander'
import { reasonOf } from '../observability/reason.js'
import { systemErrorText } from '../observability/system-error.js'
import { addConfigOption } from './calls/connection-options.js'
import { type CommandGroup, commandGroups, groupsFor } from './command-groups.js'
import { addHeadings, others } from './command-headings.js'
import { addCompleteCommand } from './commands/complete.js'
import { completeHelp, helpWidth, withinWidth } from './output/complete-help.js'
import { CommandFailure, exitCodes } from './output/exit.js'
import { printable } from './output/table.js'
import { processTerminal, type Terminal } from './output/terminal.js'

export interface ServeOptions {
  /** The configuration file as named; absent: PORTCULLIS_CONFIG, else the one that comes with Portcullis. */
  config?: string
  /** `auto` or a number, as given; absent: PORTCULLIS_WORKERS, else one process. */
  workers?: string
}

export interface BackendOptions {
  config?: string
  /** `host:port` to listen on. */
  listen: string
  /** Origin of the gateway whose assertions are believed; absent: the configuration's base URL. */
  gateway?: string
  /** PEM file of the authorities to trust when fetching its assertion keys. */
  ca?: string
}

export interface ProgramOptions {
  /** Runs the server; settles when it has stopped. */
  serve: (options: ServeOptions) => Promise<void>
  /** Runs the bundled resource service alone; settles when it has stopped. */
  backend: (options: BackendOptions) => Promise<void>
  version: string
  /** The process's own unless a test gives another. */
  terminal?: Terminal
}

const afterHelp = `
Examples:
  portcullis serve
  portcullis check portcullis.yaml
  portcullis app create Reports --permission User.Read.All --consent
  portcullis call --app Reports GET /api/v2/me
  portcullis explain GET /api/v2/me --app Reports
Each command has its own: portcullis app create --help

The management commands talk to the running server over <data folder>/admin.sock, or to one elsewhere (see login).
Results go to standard output, messages to standard error; NO_COLOR is honoured.

Exit codes:
  0  done
  1  failed
  2  wrong usage or configuration
  3  not found
  4  denied
  5  the server, or what it needs, cannot be reached
`

const workersHelp = `
Workers need PostgreSQL and Redis (PORTCULLIS_STORE, PORTCULLIS_REDIS), because they share no memory. Each is an instance
of its own: it has its own caches and connections, so memory and connections to PostgreSQL and Redis come once a worker.
A primary process starts them again when they end and answers for all of them at /metrics and /readyz.
`

/**
 * The program with the commands of these groups. It throws CommanderError and CommandFailure instead of ending the
 * process.
 */
async function createProgram(options: ProgramOptions, groups: readonly CommandGroup[]): Promise<Command> {
  const terminal = options.terminal ?? processTerminal()
  const program = await programWithoutCompletion(options, terminal, groups)
  addCompleteCommand(program, terminal, () => programWithoutCompletion(options, terminal, commandGroups))
  addHeadings(program)
  return program
}

/**
 * Runs one command line (`argv` without node and script) to its end and answers the exit code. Nothing is thrown:
 * whatever goes wrong becomes a message on standard error and a code other than 0.
 */
export async function runCommandLine(options: ProgramOptions, argv: readonly string[]): Promise<number> {
  const terminal = options.terminal ?? processTerminal()
  try {
    const program = await createProgram({ ...options, terminal }, groupsFor(argv))
    await program.parseAsync([...argv], { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    return exitCodeOf(error, terminal)
  }
}

/** The program with every command, for callers that read it without running it. */
export async function wholeProgram(options: ProgramOptions): Promise<Command> {
  return createProgram(options, commandGroups)
}

async function programWithoutCompletion(
  options: ProgramOptions,
  terminal: Terminal,
  groups: readonly CommandGroup[],
): Promise<Command> {
  const program = new Command('portcullis')
    .description('OAuth 2.0 identity service and enforcing API gateway')
    .version(options.version, '-V, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => terminal.out(withinWidth(text)),
      getOutHelpWidth: () => helpWidth,
      writeErr: (text) => terminal.say(text.trimEnd()),
    })
    .configureHelp({ minWidthToWrap: 30 })
    .commandsGroup(others)
    .showHelpAfterError('See: portcullis --help')
    .exitOverride()
    .addHelpText('after', afterHelp)
  addProcesses(program, options)
  for (const add of await Promise.all(groups.map((group) => group.load()))) add(program, terminal)
  completeHelp(program)
  return program
}

function addProcesses(program: Command, options: ProgramOptions): void {
  addConfigOption(program.command('serve').description('run Portcullis'))
    .option('--workers <number>', 'so many processes behind one port, or auto: one per core (or PORTCULLIS_WORKERS)')
    .addHelpText('after', workersHelp)
    .action((given: ServeOptions) => options.serve(given))
  addConfigOption(program.command('backend').description('run the bundled resource service alone'))
    .option('--listen <host:port>', 'address to listen on', '127.0.0.1:9300')
    .option('--gateway <origin>', "gateway whose assertions are believed (default: the configuration's base URL)")
    .option('--ca <file>', "authorities to trust for the gateway's certificate, PEM")
    .action((given: BackendOptions) => options.backend(given))
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inWords = systemErrorText(error)
  if (inWords !== undefined) return printable(inWords)
  const isStore = 'code' in error && error.code === 'store_unavailable'
  const isSaid = !(error.cause instanceof Error) || error.message.includes(error.cause.message)
  return isStore && !isSaid ? reasonOf(error) : error.message
}

function exitCodeOf(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) {
    // Requested help and version are answers; everything else that commander stops at is a usage error.
    const answered = error.code === 'commander.helpDisplayed' || error.code === 'commander.version'
    return answered ? exitCodes.ok : exitCodes.usage
  }
  const message = messageOf(error)
  // By name and code, because the classes come with much that few commands load.
  const isProblem = error instanceof Error && error.name === 'RegistrationProblem'
  terminal.say(`portcullis: ${isProblem ? printable(message) : message}`)
  if (error instanceof CommandFailure) return error.exitCode
  if (!(error instanceof Error)) return exitCodes.failed
  if (isProblem) return 'code' in error && error.code === 'what_was_said' ? exitCodes.usage : exitCodes.failed
  if (error.name === 'ConfigurationErrors') return exitCodes.usage
  return 'code' in error && error.code === 'store_unavailable' ? exitCodes.unreachable : exitCodes.failed
}
