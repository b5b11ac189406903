// `portcullis doctor`: why does it not work here? One line a check, and under each one that is not well what to do.

import type { Command } from 'commander'
import { socketIn, socketPath } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { createLocalClient } from '../../calls/local-client.js'
import { coloured } from '../../output/colour.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Finding } from '../../output/finding.js'
import { type OutputFormat, outputOption, printJson } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from '../server/settings-file.js'
import { checkAddress, checkData, checkNode, checkServer } from './doctor-checks.js'
import { withinTime } from './doctor-deadline.js'
import { checkNames, checkOwnCertificates, checkServiceCertificates } from './doctor-names.js'
import { checkStapling } from './doctor-stapling.js'
import { checkStorage } from './doctor-storage.js'
import { checkMail, checkProviders } from './doctor-surroundings.js'
import { checkTenantProviders } from './doctor-tenants.js'
import { checkNodeSupport, checkSecrets, checkSpace, checkWebhooks } from './doctor-upkeep.js'

interface DoctorOptions extends ConnectionOptions {
  output: OutputFormat
  ca?: string
}

const help = `
Looks at Node.js, the configuration, the data folder and its disk, database and Redis, the server and all that its status
knows, its address and certificates with their status (OCSP), names in DNS, services and their certificates, providers,
mail, clocks, secrets that end and webhooks that gave up. Each look ends within 15 seconds. It changes nothing.
`

/** Adds `doctor`. It ends with 1 when a check failed; warnings alone end with 0. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  addConnectionOptions(program.command('doctor').description('look for what keeps Portcullis from working here'))
    .option('--ca <file>', 'certificate authorities to trust, PEM')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', help)
    .action(async (options: DoctorOptions) => {
      if (options.server !== undefined) {
        throw new CommandFailure(
          exitCodes.usage,
          'doctor looks at this machine; of a server elsewhere ask: portcullis status',
        )
      }
      const findings = await examine(options, terminal)
      if (options.output === 'json') printJson(terminal, findings)
      else for (const finding of findings) terminal.out(line(finding, terminal))
      const failed = findings.filter(({ state }) => state === 'fail').length
      if (failed > 0) throw new CommandFailure(exitCodes.failed, `${failed} of ${findings.length} checks failed`)
    })
}

async function examine(options: DoctorOptions, terminal: Terminal): Promise<Finding[]> {
  const node = [checkNode(process.version), ...checkNodeSupport(process.version, Date.now())]
  try {
    const settings = await readSettings(options, terminal)
    const configuration: Finding = { check: 'configuration', state: 'ok', message: `${settings.file} is good` }
    const named = options.socket ?? terminal.env['PORTCULLIS_SOCKET']
    const socket = named ? await socketPath(options, terminal) : socketIn(settings.data.folder, terminal)
    const client = createLocalClient(socket)
    const now = Date.now()
    // All at once, each with an end: what does not answer keeps nothing else waiting.
    const looks = await Promise.all([
      withinTime('storage', () => checkStorage(settings)),
      withinTime('server', () => checkServer(socket)),
      withinTime('address', () => checkAddress(settings, options.ca, terminal, Date.now)),
      withinTime('OCSP', () => checkStapling(settings, Date.now)),
      withinTime('names', () => checkNames(settings)),
      withinTime('service TLS', () => checkServiceCertificates(settings.upstreams, now)),
      withinTime('provider', () => checkProviders(settings)),
      withinTime('mail', () => checkMail(settings)),
      withinTime('secrets', () => checkSecrets(client, now)),
      withinTime('tenant providers', () => checkTenantProviders(client)),
      withinTime('webhooks', () => checkWebhooks(client)),
    ])
    return [
      ...node,
      configuration,
      ...checkData(settings, terminal),
      ...checkSpace(settings, terminal),
      ...checkOwnCertificates(settings, now),
      ...looks.flat(),
    ]
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return [
      ...node,
      {
        check: 'configuration',
        state: 'fail',
        message: error.message,
        advice: 'fix the file, then: portcullis check',
      },
    ]
  }
}

function line({ check, state, message, advice }: Finding, terminal: Terminal): string {
  const mark = {
    ok: coloured(terminal, 'green', 'ok  '),
    warn: coloured(terminal, 'yellow', 'warn'),
    fail: coloured(terminal, 'red', 'fail'),
  }[state]
  const said = message
    .split('\n')
    .map(printable)
    .join(`\n${' '.repeat(23)}`)
  const todo = advice === undefined ? '' : `${' '.repeat(23)}→ ${printable(advice)}\n`
  return `${mark}  ${check.padEnd(15)}  ${said}\n${todo}`
}
