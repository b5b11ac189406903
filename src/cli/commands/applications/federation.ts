// `portcullis app federation …`: whose tokens an application accepts as proof of itself, instead of a secret.

import type { Command } from 'commander'
import type { ClientAnswer } from '../../../management/applications/client-schemas.js'
import { clientCalls } from '../../calls/client-calls.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls } from '../../calls/management-calls.js'
import { listOption } from '../../output/list-option.js'
import { type Field, type OutputFormat, outputOption, printList, printRecord } from '../../output/output.js'
import { addYesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import { readKeyFile } from './key-file.js'

interface AddOptions extends ConnectionOptions {
  output: OutputFormat
  name?: string
  issuer: string
  subject: string
  audience?: string
  jwks?: string
}

const listed = {
  headings: ['ID', 'NAME', 'ISSUER', 'SUBJECT', 'AUDIENCE', 'LAST USED'],
  context: ['AUDIENCE'],
  firstToGo: ['AUDIENCE', 'LAST USED'],
  empty: 'It trusts nobody else. See: portcullis app federation add --help',
}

const applicationHelp = 'application id, public key or exact name'

const addHelp = `
The workload sends its token as client_assertion, with client_assertion_type
urn:ietf:params:oauth:client-assertion-type:jwt-bearer and its client_id. For example:
  Kubernetes      --issuer https://oidc.example/cluster --subject system:serviceaccount:NAMESPACE:NAME
  GitHub Actions  --issuer https://token.actions.githubusercontent.com --subject repo:ORG/REPO:ref:refs/heads/main
`

/** Adds `app federation` and its commands. */
export function addFederationCommands(app: Command, terminal: Terminal): void {
  const federation = app.command('federation').description('issuers whose tokens prove it, instead of a secret')
  const open = async (options: ConnectionOptions, application: string) => {
    const client = await connect(options, terminal)
    const { applicationId } = await managementCalls(client).showApplication(application)
    return { calls: clientCalls(client), applicationId }
  }
  addConnectionOptions(
    federation.command('add').description('trust an issuer, a subject and an audience, each exactly'),
  )
    .argument('<app>', applicationHelp)
    .requiredOption('--issuer <url>', 'who signs the tokens: the exact iss')
    .requiredOption('--subject <subject>', 'whose they are: the exact sub')
    .option('--audience <audience>', 'what they are for: the exact aud (default: the base URL of this server)')
    .option('--name <name>', 'what people call it (default: the subject)')
    .option('--jwks <file>', 'JSON Web Key Set of the issuer (default: fetched by its discovery document)')
    .addOption(outputOption())
    .addHelpText('after', addHelp)
    .action(async (application: string, options: AddOptions) => {
      const { issuer, subject, audience, name = subject.slice(0, 120) } = options
      const jwks = options.jwks === undefined ? undefined : await readKeyFile(options.jwks, terminal)
      const { calls, applicationId } = await open(options, application)
      const added = await calls.addFederated(applicationId, {
        name,
        issuer,
        subject,
        ...(audience === undefined ? {} : { audience }),
        ...(jwks === undefined ? {} : { jwks }),
      })
      printRecord(terminal, options.output, added, fieldsOf(added))
    })
  addConnectionOptions(federation.command('list').description('list whom it trusts'))
    .argument('<app>', applicationHelp)
    .addOption(listOption())
    .action(async (application: string, options: ConnectionOptions & { output: OutputFormat }) => {
      const { calls, applicationId } = await open(options, application)
      const value = await calls.listFederated(applicationId)
      const rows = value.map((one) => [
        one.id,
        one.name,
        one.issuer,
        one.subject,
        one.audience,
        one.lastUsedAt ?? 'never',
      ])
      printList(terminal, options.output, { value }, { ...listed, rows })
    })
  addYesOption(
    addConnectionOptions(
      federation.command('remove').description('trust it no more; the tokens got with it end at once'),
    ),
  )
    .argument('<app>', applicationHelp)
    .argument('<id>', 'id of the federated credential (see: app federation list)')
    .action(async (application: string, id: string, options: ConnectionOptions) => {
      const { calls, applicationId } = await open(options, application)
      await calls.removeFederated(applicationId, id)
      terminal.say('Removed. The tokens that were got with it have ended.')
    })
}

function fieldsOf(one: ClientAnswer<'federatedCredential'>): Field[] {
  return [
    { label: 'id', value: one.id, variable: 'PORTCULLIS_FEDERATED_CREDENTIAL' },
    { label: 'name', value: one.name },
    { label: 'issuer', value: one.issuer },
    { label: 'subject', value: one.subject },
    { label: 'audience', value: one.audience, variable: 'PORTCULLIS_FEDERATED_AUDIENCE' },
    { label: 'keys', value: one.jwks === null ? 'fetched from the issuer' : `${one.jwks.keys.length} configured` },
  ]
}
