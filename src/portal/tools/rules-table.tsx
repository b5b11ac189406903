// The tools of one MCP server with what is said of each.

import type { VNode } from 'preact'
import type { ToolRuleAnswer } from '../../management/tools/tool-rule-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Table } from '../table.js'

type Line = ToolRuleAnswer['value'][number]
type Rule = Line['rule']

/** What can be said, from the mildest. */
export const toolRuleChoices: readonly (readonly [Rule, string])[] = [
  ['allowed', 'Allowed'],
  ['approval', 'Needs approval of each call'],
  ['second_factor', 'Needs a second factor'],
  ['never', 'Never'],
]

const columns = [
  { text: 'Tool' },
  { text: 'Permission' },
  { text: 'By the configuration' },
  { text: 'In this tenant' },
] as const

/** `at`: the place of a line in the whole list, which names its field. */
export function ServerRules({
  id,
  route,
  lines,
  mayChange,
}: {
  id: string
  route: string
  lines: readonly { line: Line; at: number }[]
  mayChange: boolean
}): VNode {
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <code>{route}</code>
      </h2>
      <Table
        id={id}
        columns={columns}
        rows={lines.map(({ line, at }) => ({ id: `tool-${at}`, cells: cellsOf(line, at, mayChange) }))}
      />
    </section>
  )
}

function cellsOf({ tool, needs, floor, rule }: Line, at: number, mayChange: boolean) {
  return [
    <code key="tool">{displayName(tool)}</code>,
    needs.length === 0 ? 'The configuration names it no more' : needs.map((all) => all.join(' and ')).join(', or '),
    wordsOf(floor),
    mayChange ? (
      <select key="rule" id={`rule-${at}`} name={`rule-${at}`} aria-label={`Rule for ${displayName(tool)}`}>
        {toolRuleChoices.map(([value, text]) => (
          <option key={value} value={value} selected={value === rule}>
            {text}
          </option>
        ))}
      </select>
    ) : (
      wordsOf(rule)
    ),
  ]
}

const wordsOf = (rule: Rule) => toolRuleChoices.find(([value]) => value === rule)?.[1]
