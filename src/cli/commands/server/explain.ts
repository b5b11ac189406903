// `portcullis explain METHOD PATH`: why a call would be allowed or refused, and which line of the configuration decides
// it; with --request, why one was. It asks the gate's own code and changes nothing.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Explanation } from '../../../gateway/explain/explanation.js'
import type { NamedOperation } from '../../../gateway/mcp/named-operation.js'
import type { ExplainBody, Explained } from '../../../management/server/explain-schemas.js'
import { wholeNumber } from '../../arguments.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { peopleCalls } from '../../calls/people-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, outputOption, printJson, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { explanationFields, printTables, recordedFields } from './print-explanation.js'

interface ExplainOptions extends ConnectionOptions {
  app?: string
  user?: string
  tenant?: string
  scope?: string
  tokenFile?: string
  address?: string
  bodyBytes?: number
  request?: string
  tool?: string
  prompt?: string
  resource?: string
  with?: string
  as: 'application' | 'user'
  output: OutputFormat
}

const help = `
Says what the gate would decide about this call, with the reason as in its log, and what to do. Nothing is charged to
limits, and no token is issued. Without --scope the application asks for all that it may have of the route's resource.
Ends with 0 whatever the decision is; with -o json, decision.outcome has it.

  portcullis explain GET /api/v2/me --app demo
  portcullis explain GET /api/v2/me --app demo --user ada@example.com
  portcullis token --app demo | portcullis explain GET /api/v2/me --token-file -
  portcullis explain GET /api/v2/me --config new.yaml --with User.Read --as user
  portcullis explain POST /desk/mcp --tool close_ticket --app demo --user ada@example.com
  portcullis explain --request 3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01
`

/** Adds `explain`. */
export function addExplainCommand(program: Command, terminal: Terminal): void {
  addConnectionOptions(program.command('explain').description('why a call would be allowed or refused'))
    .argument('[method]', 'GET, POST, PUT, PATCH, DELETE …')
    .argument('[path]', 'path and query, such as /api/v2/me')
    .option('--app <application>', 'who would call: application id, public key or exact name')
    .option('--user <user>', 'for whom it would act: user id or e-mail address (default: for itself)')
    .option('--tenant <tenant>', "in which tenant: tenant id or exact name (default: the application's home tenant)")
    .option('--scope <list>', 'what it would ask for, separated by spaces or commas')
    .option('--token-file <file>', 'a token instead; - is standard input. It is looked at and forgotten')
    .option('--address <ip>', 'where the call would come from, for limits by address')
    .option('--body-bytes <number>', 'how long its body would be', wholeNumber)
    .option('--tool <name>', 'of an MCP server: the tool that its message would call')
    .option('--prompt <name>', 'the prompt that it would ask for')
    .option('--resource <uri>', 'the resource that it would read')
    .option('--request <id>', 'why the request with this request-id was decided as it was, and what would be now')
    .option('--with <list>', 'without a server, by --config: what a token with these permissions may; none for none')
    .addOption(new Option('--as <who>', 'whose token that is').choices(['application', 'user']).default('application'))
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', help)
    .action(async (method: string | undefined, path: string | undefined, options: ExplainOptions) => {
      if (options.request !== undefined) return explainRequest(options.request, options, terminal)
      await explainCall({ method, path }, options, terminal)
    })
}

async function explainCall(
  { method, path }: { method: string | undefined; path: string | undefined },
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  if (method === undefined || path === undefined) {
    throw new CommandFailure(exitCodes.usage, 'say what is called: explain METHOD PATH, or explain --request ID')
  }
  const operation = operationIn(options)
  const call = { method: method.toUpperCase(), path, ...(operation === undefined ? {} : { operation }) }
  if (options.with !== undefined) {
    const { explainOffline } = await import('./explain-offline.js')
    return explainOffline(call, { ...options, with: options.with }, terminal)
  }
  const client = await connect(options, terminal)
  const body = await bodyOf(client, call, options, terminal)
  const explanation = (await client.call('POST', '/explain', body)) as Explanation
  if (explanation.decision.reason === 'no_mcp_server') {
    throw new CommandFailure(exitCodes.usage, explanation.decision.message)
  }
  if (options.output === 'json') return printJson(terminal, explanation)
  printRecord(terminal, 'table', explanation, explanationFields(explanation))
  printTables(terminal, explanation)
}

async function explainRequest(id: string, { output, ...options }: ExplainOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const explained = (await client.call('GET', `/explain/${encodeURIComponent(id)}`)) as Explained
  if (output === 'json') return printJson(terminal, explained)
  printRecord(terminal, 'table', explained, recordedFields(explained.recorded))
  const { now } = explained
  if (now === null) return terminal.out('\nThe route is no longer in the configuration.\n')
  terminal.out('\nNow:\n')
  printRecord(terminal, 'table', now, explanationFields(now, explained.recorded))
  printTables(terminal, now)
}

async function bodyOf(
  client: LocalClient,
  { operation, ...call }: { method: string; path: string; operation?: NamedOperation },
  options: ExplainOptions,
  terminal: Terminal,
): Promise<ExplainBody> {
  const { app, user, tenant, scope, tokenFile, address, bodyBytes } = options
  const tenantId = tenant === undefined ? undefined : await requireTenant(managementCalls(client), tenant)
  const userId = user?.includes('@') === true ? (await peopleCalls(client).showUser(user)).userId : user
  const token = tokenFile === undefined ? undefined : await tokenIn(tokenFile, terminal)
  const about =
    operation === undefined ? {} : { [operation.kind === 'resource' ? 'uri' : operation.kind]: operation.name }
  const given = { ...about, applicationId: app, tenantId, userId, scope, token, address, bodyBytes }
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...call, ...(Object.fromEntries(present) as Partial<ExplainBody>) }
}

/** One thing of an MCP server at most. Throws CommandFailure. */
function operationIn(options: ExplainOptions): NamedOperation | undefined {
  const named = (['tool', 'prompt', 'resource'] as const).flatMap((kind) => {
    const name = options[kind]
    return name === undefined ? [] : [{ kind, name }]
  })
  if (named.length <= 1) return named[0]
  throw new CommandFailure(exitCodes.usage, 'a message is about one thing: --tool, --prompt or --resource')
}

async function tokenIn(file: string, terminal: Terminal): Promise<string> {
  const text = file === '-' ? await terminal.input() : await readFile(resolve(terminal.cwd, file), 'utf8')
  const token = text.trim()
  if (token === '') throw new CommandFailure(exitCodes.usage, 'there is no token in it')
  return token
}
