// Messages to MCP servers: what agents call, what is refused, and what somebody should look at.

import type { Alert } from './alert.js'
import { type Dashboard, gauge, rate } from './dashboard.js'

const calls = 'portcullis_mcp_calls_total'
const chosen = 'route=~"$route"'
/** Reasons of messages that two readers could read differently, or whose fields say something else. */
const ambiguous = 'outcome=~"mcp_mismatch|mcp_header_twice|mcp_bad_message|mcp_bad_json"'

/** A row of the gate's dashboard. */
export const mcpRow: Dashboard['rows'][number] = {
  title: 'MCP servers',
  panels: [
    {
      title: 'Calls by operation',
      about: 'The ten most called. `_other` is what the file does not name.',
      unit: 'reqps',
      queries: [{ expr: `topk(10, sum by (operation) (${rate(calls, chosen)}))`, legend: '{{operation}}' }],
    },
    {
      title: 'Not passed, by reason',
      about: 'Refusals, and what operations that only watch would refuse (would_deny).',
      unit: 'reqps',
      queries: [{ expr: `sum by (outcome) (${rate(calls, `${chosen}, outcome!="passed"`)})`, legend: '{{outcome}}' }],
    },
    {
      title: 'Refused, by operation',
      about: 'The ten operations that are refused most: agents want what nobody gave them.',
      unit: 'reqps',
      queries: [
        {
          expr: `topk(10, sum by (operation) (${rate(calls, `${chosen}, outcome!~"passed|would_deny"`)}))`,
          legend: '{{operation}}',
        },
      ],
    },
    {
      title: 'Ambiguous messages',
      about: 'Messages that say one thing to one reader and another to the next. No client that is well sends any.',
      unit: 'reqps',
      queries: [
        {
          expr: `sum by (route, outcome) (${rate(calls, `${chosen}, ${ambiguous}`)})`,
          legend: '{{route}} {{outcome}}',
        },
      ],
    },
    {
      title: 'Items not shown',
      about: 'Of lists: tools, prompts and resources that their reader could not use.',
      unit: 'cps',
      queries: [
        {
          expr: `sum by (route, list) (${rate('portcullis_mcp_hidden_items_total', chosen)})`,
          legend: '{{route}} {{list}}',
        },
      ],
    },
    {
      title: 'Repeated calls',
      about: 'The same call by the same caller, ten times and more within a minute: an agent in a loop.',
      unit: 'reqps',
      queries: [
        { expr: `sum by (route) (${rate('portcullis_mcp_repeated_calls_total', chosen)})`, legend: '{{route}}' },
      ],
    },
    {
      title: 'Changed tools',
      about: 'Tools whose definition changed and waits for approval: `portcullis mcp changes`.',
      unit: 'short',
      queries: [{ expr: `max by (route) (${gauge('portcullis_mcp_changed_tools', chosen)})`, legend: '{{route}}' }],
    },
    {
      title: 'Approvals of calls',
      about: 'Calls that a person has to approve, by what became of them.',
      unit: 'cps',
      queries: [{ expr: `sum by (outcome) (${rate('portcullis_mcp_approvals_total')})`, legend: '{{outcome}}' }],
    },
    {
      title: 'Open streams',
      about: 'Of each server, over all instances. Its route may bound them (streams).',
      unit: 'short',
      queries: [{ expr: `sum by (route) (${gauge('portcullis_mcp_open_streams', chosen)})`, legend: '{{route}}' }],
    },
  ],
}

/** Alerts about agents. */
export const mcpAlerts: readonly Alert[] = [
  {
    name: 'PortcullisAgentLoops',
    why: 'Nothing is refused for it; a limit of the operation would.',
    expr: 'sum by (route) (rate(portcullis_mcp_repeated_calls_total[5m])) > 0.2',
    for: '10m',
    severity: 'warning',
    summary: 'An agent makes the same call of {{ $labels.route }} again and again, {{ $value }} times a second.',
    action: 'The log says which one: the same call again and again. Give the operation a limit, or withdraw the agent.',
  },
  {
    name: 'PortcullisAmbiguousMessages',
    why: 'They are refused. Who sends many is broken, or looks for a way past the permissions.',
    expr: `sum by (route) (rate(portcullis_mcp_calls_total{${ambiguous}}[5m])) > 0.1`,
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.route }} gets messages that could be read in two ways, {{ $value }} a second.',
    action: 'Look in the access log for who sends them, by their reason.',
  },
  {
    name: 'PortcullisToolsChanged',
    why: 'With pins: hold nobody can call them until then; with report they are in use as they are now.',
    expr: 'max by (route) (portcullis_mcp_changed_tools) > 0',
    for: '15m',
    severity: 'info',
    summary: '{{ $value }} tools of {{ $labels.route }} have changed and wait for approval.',
    action: 'portcullis mcp changes lists them; portcullis mcp approve shows the difference and asks.',
  },
]
