// `portcullis login`, `logout`, `whoami`: the command line at a server that is somewhere else. What they need is loaded
// when they run.

import { type Command, Option } from 'commander'
import { wholeNumber } from '../arguments.js'
import { chosenServer } from '../calls/connection.js'
import { addConfigOption } from '../calls/connection-options.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { type OutputFormat, outputOption, printRecord } from '../output/output.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'

interface ServerOptions {
  config?: string
  server?: string
}

interface LoginOptions extends ServerOptions {
  ca?: string
  device?: boolean
  browser?: boolean
  tenant?: string
  maxAge?: number
  acr?: string
}

const serverHelp = 'its base URL (or PORTCULLIS_SERVER)'

const loginHelp = `
Your browser does the signing in: here (--browser, the default), or, where the server allows it (signIn.deviceCodes: all),
anywhere with a short code (--device), which needs a second factor where administrators' permissions are requested. An administrator of your tenant consents to the command line at their first sign-in.
What is kept lies in $XDG_CONFIG_HOME/portcullis, for you alone. Without a sign-in: an access token in PORTCULLIS_TOKEN.
`

/** Adds `login`, `logout` and `whoami`. */
export function addLoginCommands(program: Command, terminal: Terminal): void {
  addConfigOption(program.command('login').description('sign in at a server that is not on this machine'))
    .option('--server <url>', `${serverHelp}; default: that of the configuration`)
    .option('--ca <file>', 'certificate authorities to trust there, PEM; kept with the sign-in')
    .option('--browser', 'sign in with the browser of this machine')
    .option('--device', 'sign in with any browser, by a code')
    .option('--tenant <id>', 'the tenant to act in (default: yours, or you choose)')
    .option('--max-age <seconds>', 'how old a sign-in of the browser may be (default: 600)', wholeNumber)
    .addOption(new Option('--acr <value>', 'sign in with a second factor: 2').choices(['1', '2']))
    .addHelpText('after', loginHelp)
    .action((options: LoginOptions) => login(options, terminal))
  program
    .command('logout')
    .description('end the sign-in at a server, there and here')
    .option('--server <url>', `${serverHelp}; default: the last one`)
    .action(async (options: ServerOptions) => {
      const server = await signedInServer(options, terminal)
      const { signOut } = await import('./sign-out.js')
      const ended = await signOut(server, terminal)
      terminal.say(ended ? `Signed out of ${server}.` : `Nobody was signed in at ${server}.`)
    })
  program
    .command('whoami')
    .description('say who is signed in, as the server sees it')
    .option('--server <url>', `${serverHelp}; default: the last one`)
    .addOption(outputOption())
    .action(async (options: ServerOptions & { output: OutputFormat }) => {
      const { whoAmI } = await import('./who-am-i.js')
      const who = await whoAmI(await signedInServer(options, terminal), terminal)
      printRecord(terminal, options.output, who, [
        { label: 'server', value: who.server, variable: 'PORTCULLIS_SERVER' },
        { label: 'name', value: who.name ?? '' },
        { label: 'e-mail', value: who.email ?? '' },
        { label: 'user id', value: who.userId, variable: 'PORTCULLIS_USER_ID' },
        { label: 'tenant', value: who.tenantId ?? '', variable: 'PORTCULLIS_TENANT_ID' },
        { label: 'permissions', value: who.permissions.join(' ') },
      ])
    })
}

async function login(options: LoginOptions, terminal: Terminal): Promise<void> {
  if (options.browser === true && options.device === true) {
    throw new CommandFailure(exitCodes.usage, 'say --browser or --device, not both')
  }
  const way = options.browser === true ? 'browser' : options.device === true ? 'device' : undefined
  const [{ signIn }, place] = await Promise.all([import('./sign-in.js'), placeOf(options, terminal)])
  const { tenant, maxAge, acr } = options
  const { person, server } = await signIn({ ...place, way, tenant, maxAge, acr }, terminal)
  const who = [person?.name, person?.email === undefined ? undefined : `<${person.email}>`].filter(Boolean).join(' ')
  terminal.say(`Signed in at ${server} as ${printable(who === '' ? (person?.id ?? '') : who)}.`)
}

/** The server that is named; else that of the configuration. */
async function placeOf({ server, ca, config }: LoginOptions, terminal: Terminal) {
  const named = server ?? (config === undefined ? terminal.env['PORTCULLIS_SERVER'] : undefined)
  const [{ serverAddress }, { publicPlace }] = await Promise.all([
    import('./server-address.js'),
    import('./public-place.js'),
  ])
  return await publicPlace(named ? serverAddress(named) : undefined, { ca, config }, terminal)
}

async function signedInServer(options: ServerOptions, terminal: Terminal): Promise<string> {
  const server = (await chosenServer(options, terminal))?.server ?? (await lastServer(terminal))
  if (server !== undefined) return server
  throw new CommandFailure(
    exitCodes.denied,
    'nobody is signed in anywhere\n  Sign in: portcullis login --server https://…',
  )
}

/** Also beside a server of this machine, which the other commands would prefer. */
async function lastServer(terminal: Terminal): Promise<string | undefined> {
  const { currentServer } = await import('./current-server.js')
  return await currentServer(terminal)
}
