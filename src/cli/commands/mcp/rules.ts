// What `portcullis mcp rules` does: which tools agents may call in a tenant.

import type { ToolRuleAnswer, ToolRuleBody } from '../../../management/tools/tool-rule-schemas.js'
import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { ServerRefusal } from '../../calls/management-answer.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { unknown } from '../../calls/unknown-names.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { toolRuleNames } from './tool-rule-names.js'

export interface ToolRuleOptions extends ConnectionOptions {
  output: OutputFormat
}

type Rule = ToolRuleBody['rules'][number]['rule']

/** Lists every tool with what is said of it. */
export async function listToolRules(tenant: string, options: ToolRuleOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const tenantId = await requireTenant(managementCalls(client), tenant)
  print(terminal, options, (await client.call('GET', pathOf(tenantId))) as ToolRuleAnswer, noTools)
}

/** Says the same of each of these tools of a route. Throws CommandFailure. */
export async function setToolRules(
  { tenant, route, tools, rule }: { tenant: string; route: string; tools: readonly string[]; rule: string },
  options: ToolRuleOptions,
  terminal: Terminal,
): Promise<void> {
  const said = rule.replaceAll('-', '_')
  if (!isRule(said)) throw new CommandFailure(exitCodes.usage, `a rule is one of ${toolRuleNames.join(', ')}`)
  const client = await connect(options, terminal)
  const tenantId = await requireTenant(managementCalls(client), tenant)
  const body: ToolRuleBody = { rules: tools.map((tool) => ({ route, tool, rule: said })) }
  const changed = client.call('PATCH', pathOf(tenantId), body).catch(async (error: unknown) => {
    if (!(error instanceof ServerRefusal) || error.code !== 'UnknownTool') throw error
    throw await unknownTool(route, tools, ((await client.call('GET', pathOf(tenantId))) as ToolRuleAnswer).value)
  })
  const answer = (await changed) as ToolRuleAnswer
  const value = answer.value.filter((line) => line.route === route && tools.includes(line.tool))
  print(terminal, options, { ...answer, value }, 'The configuration names no such tool. No rule is left for it.')
}

/** Names the nearest route, or the nearest tool of the route. */
async function unknownTool(
  route: string,
  tools: readonly string[],
  lines: ToolRuleAnswer['value'],
): Promise<CommandFailure> {
  const known = lines.filter((line) => line.route === route).map(({ tool }) => tool)
  const wrong = tools.find((tool) => !known.includes(tool))
  if (known.length === 0 || wrong === undefined) {
    return unknown('route with tools', route, new Set(lines.map((line) => line.route)))
  }
  return unknown('tool', wrong, known)
}

const isRule = (text: string): text is Rule => toolRuleNames.some((name) => name.replaceAll('-', '_') === text)

const listed = {
  headings: ['ROUTE', 'TOOL', 'NEEDS', 'FILE', 'TENANT'],
  typed: ['ROUTE', 'TOOL'],
  firstToGo: ['NEEDS', 'FILE'],
}
const noTools = 'The configuration names no tools. Propose them from a running server: portcullis mcp list URL'

const pathOf = (tenantId: string) => `/tenants/${tenantId}/toolRules`
const typed = (rule: Rule) => rule.replaceAll('_', '-')

function print(terminal: Terminal, { output }: ToolRuleOptions, answer: ToolRuleAnswer, empty: string): void {
  const rows = answer.value.map(({ route, tool, needs, floor, rule }) => [
    route,
    tool,
    needs.map((all) => all.join(' and ')).join(' or '),
    typed(floor),
    typed(rule),
  ])
  printList(terminal, output, answer, { ...listed, rows, empty })
}
