// `portcullis import entra|keycloak|hydra|auth0 FILE`: registrations from another product's file, and a report of everything
// of it that has no place here. Old identifiers and secrets cannot be carried; every application gets new ones. And
// `portcullis import openapi FILE`: rules from the description of a service.

import type { Command } from 'commander'
import { collected } from '../arguments.js'
import { connect } from '../calls/connection.js'
import { addConnectionOptions } from '../calls/connection-options.js'
import { managementCalls } from '../calls/management-calls.js'
import type { ImportOptions } from '../import/options.js'
import { outputOption } from '../output/output.js'
import type { Terminal } from '../output/terminal.js'

const sources = [
  ['entra', 'application manifests of Microsoft Entra ID, present or older form'],
  ['keycloak', 'a realm export or a client export of Keycloak'],
  ['hydra', 'OAuth 2.0 clients of Ory Hydra'],
  ['auth0', 'clients of Auth0: what GET /api/v2/clients answers, or the JSON of its Deploy CLI'],
] as const

const importHelp = `
Run it with --dry-run first: the report names every field, redirect URI and permission that cannot be carried, and why.

Permissions are found by an equal id, or by a map: --map crm.read=https://crm.example/api/Contact.Read, --map
GUID=User.Read.All, --map legacy.scope=- to leave one out. Nothing is consented to: see portcullis consent grant.

New identifiers and secrets are made; with --secret-file they are in a new file (0600), a JSON document a line, else in
the output. An application whose name the tenant has already is left alone, or with --update becomes what the file says;
it keeps its secrets, and permissions that it has beyond the file.

Ends with 1 when something could not be registered; what could be is.
`

/** Adds `import` and its sources. */
export function addImportCommands(program: Command, terminal: Terminal): void {
  const group = program.command('import').description('take over what another product or a document describes')
  for (const [source, description] of sources) {
    addConnectionOptions(group.command(source).description(description))
      .argument('<file>', 'JSON; - reads standard input')
      .option('--tenant <tenant>', 'home tenant, id or name (default: the oldest)')
      .option('--map <name=permission>', 'what one of its permissions is here, repeatable', collected)
      .option('--map-file <file>', 'the same from a JSON file: {"name": "resource/id"}')
      .option('--only <id>', "only this one, by the product's identifier, repeatable", collected)
      .option('--plan <plan>', 'put them on this plan (see: plan list)')
      .option('--plan-of <id=plan>', "put one on another, by the product's identifier, repeatable", collected)
      .option('--update', 'change applications that exist to what the file says')
      .option('--dry-run', 'print the report, and do nothing')
      .option('--secret-file <file>', 'write new secrets to a new file (0600) instead of the output')
      .addOption(outputOption())
      .addHelpText('after', importHelp)
      .action(async (file: string, options: ImportOptions) => {
        const { importApplications } = await import('../import/run.js')
        const calls = async () => managementCalls(await connect({ ...options, yes: true }, terminal))
        await importApplications({ source, file, options, calls, terminal })
      })
  }
  addOpenApi(group, terminal)
}

const openApiHelp = `
Prints YAML with permissions, an upstream and routes: permissions from the scopes of the document's security schemes, a
route for each operation, and as comments what had to be guessed or could not be carried. Nothing is changed; read it,
then name it under include, or copy it. Nothing stands open that the document does not call open.
`

interface OpenApiOptions {
  name: string
  target?: string
  prefix?: string
}

function addOpenApi(group: Command, terminal: Terminal): void {
  group
    .command('openapi')
    .description('propose routes and permissions from an OpenAPI 3 document')
    .argument('<file>', 'YAML or JSON; - reads standard input')
    .option('--name <name>', 'what the service is called here', 'service')
    .option('--target <url>', 'where it is (default: the first server of the document)')
    .option('--prefix <path>', 'where its paths begin here (default: where they begin there)')
    .addHelpText('after', openApiHelp)
    .action(async (file: string, options: OpenApiOptions) => {
      const { proposeFromFile } = await import('../openapi/run.js')
      terminal.out(await proposeFromFile(file, options, terminal))
    })
}
