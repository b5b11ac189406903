// `portcullis mcp …`: MCP servers as they run, and what the configuration says of them.

import { Argument, type Command } from 'commander'
import { connect } from '../../calls/connection.js'
import { addConfigOption, addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { listOption } from '../../output/list-option.js'
import type { OutputFormat } from '../../output/output.js'
import { addYesOption, type YesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import type { McpCheckOptions } from './check.js'
import type { McpListOptions } from './list.js'
import type { ToolRuleOptions } from './rules.js'
import { addServerOptions } from './server-options.js'
import { toolRuleArgument, toolRuleNames } from './tool-rule-names.js'

const listHelp = `
Prints YAML with a resource and its permissions, an upstream, and a route with mcp: that names every tool, prompt and
resource of the running server. Tools that only read, tools that change something and all others are kept apart by what
the server says of them (readOnlyHint, destructiveHint): a proposal, which you check before you use it. Nothing is
changed; save the file under conf.d, named after the first part of its path, or copy it.

The server is read by revision 2026-07-28, else in a session that is ended again.
`

const checkHelp = `
Asks the server of each route with mcp:, and says what it has that the file does not name, which is refused to everybody,
and what the file names that it does not have. A server is read at the first target of its upstream, without the
identity that the gate tells it: one that wants to know who asks gets what --token-file or -H says.

Ends with 0 when both say the same, 1 when they do not, 4 when a server wants to know who asks, 5 when one cannot be
reached.
`

const rulesHelp = `
  allowed        the permission is enough; takes back what was set before
  approval       the person approves each call in their browser
  second-factor  the person has to have signed in with a second factor
  never          agents of the tenant are told that there is no such tool

The rule of the configuration (FILE) counts as well: a call has to meet both. A change holds from the next call on.
`

const approveHelp = `
Shows what the server said of the tool when it was approved and what it says now, and asks. What is approved is what was
shown: if the definition changes in between, nothing is approved.
`

/** Adds `mcp` and its commands. */
export function addMcpCommands(program: Command, terminal: Terminal): void {
  const version = () => program.version() ?? ''
  const mcp = program.command('mcp').description('MCP servers: propose a configuration, compare it with what runs')
  addServerOptions(addConfigOption(mcp.command('list').description('propose a configuration from a running server')))
    .argument('<server>', 'where it is: http(s)://host:port/path')
    .option('--name <name>', 'what it is called here (default: as it calls itself)')
    .option('--path <path>', 'its path at the gateway (default: /NAME/mcp)')
    .option('--base-url <url>', 'public address of the gateway (default: server.baseUrl of the configuration)')
    .addHelpText('after', listHelp)
    .action(async (server: string, options: McpListOptions) => {
      const { proposeFromServer } = await import('./list.js')
      terminal.out(await proposeFromServer(server, options, { terminal, version: version() }))
    })
  addServerOptions(addConfigOption(mcp.command('check').description('compare the configuration with running servers')))
    .argument('[route]', 'only this route, by its path')
    .option('--at <url>', 'where its server is (default: the first target of the upstream)')
    .addOption(listOption())
    .addHelpText('after', checkHelp)
    .action(async (route: string | undefined, options: McpCheckOptions) => {
      const { checkServers } = await import('./check.js')
      await checkServers(route, options, { terminal, version: version() })
    })
  addChangeCommands(mcp, terminal)
  addRuleCommands(mcp, terminal)
}

function addRuleCommands(mcp: Command, terminal: Terminal): void {
  const rules = mcp.command('rules').description('rules for tools: what agents may call in a tenant, and how')
  const tenant = ['<tenant>', 'tenant id or exact name'] as const
  addConnectionOptions(rules.command('list').description('list the tools with the rule of each'))
    .argument(...tenant)
    .addOption(listOption())
    .action(async (reference: string, options: ToolRuleOptions) =>
      (await import('./rules.js')).listToolRules(reference, options, terminal),
    )
  addConnectionOptions(rules.command('set').description('set the rule of one or more tools of a route'))
    .argument(...tenant)
    .argument('<route>', 'the route, by its path')
    .addArgument(new Argument('<rule>', 'the rule').choices(toolRuleNames).argParser(toolRuleArgument))
    .argument('<tools...>', 'the tools')
    .addOption(listOption())
    .addHelpText('after', rulesHelp)
    .action(
      async (reference: string, route: string, rule: string, tools: readonly string[], options: ToolRuleOptions) =>
        (await import('./rules.js')).setToolRules({ tenant: reference, route, rule, tools }, options, terminal),
    )
}

function addChangeCommands(mcp: Command, terminal: Terminal): void {
  addConnectionOptions(mcp.command('changes').description('list the tools that changed since they were approved'))
    .addOption(listOption())
    .action(async (options: ConnectionOptions & { output: OutputFormat }) => {
      const { printChanges } = await import('./changes.js')
      await printChanges(await connect(options, terminal), terminal, options.output)
    })
  addYesOption(addConnectionOptions(mcp.command('approve').description('approve the new definition of a tool')))
    .argument('<route>', 'the route, as listed')
    .argument('<tool>', 'the name of the tool')
    .addHelpText('after', approveHelp)
    .action(async (route: string, tool: string, options: ConnectionOptions & YesOption) => {
      const { approveChange } = await import('./changes.js')
      const client = await connect(options, terminal)
      await approveChange(client, terminal, { route, tool, yes: options.yes === true })
    })
}
