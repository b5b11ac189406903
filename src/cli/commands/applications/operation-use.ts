// Below the permissions of an application: which of the tools that they open at MCP servers it used, and which not.

import type { PermissionUseAnswer } from '../../../management/permissions/usage-schemas.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'

const mostNamed = 50

/** Says nothing of an application that can reach none, or at a server that does not count them yet. */
export function sayOperationUse(terminal: Terminal, answer: Partial<Pick<PermissionUseAnswer, 'operations'>>): void {
  const { operations = [] } = answer
  if (operations.length === 0) return
  const unused = operations.filter(({ usesIn30Days }) => usesIn30Days === 0)
  const used = operations.length - unused.length
  terminal.say(`Of ${operations.length} operations of MCP servers that it may use, ${used} were used in 30 days.`)
  if (unused.length === 0) return
  terminal.say('Not used, with the permissions that open them:')
  for (const { id, permissions } of unused.slice(0, mostNamed))
    terminal.say(`  ${printable(id)}  ${printable(permissions.join(' '))}`)
  if (unused.length > mostNamed) terminal.say(`  and ${unused.length - mostNamed} more; all of them: -o json`)
}
