// `portcullis mcp changes` and `mcp approve`: tools of a running gateway whose definition changed, and approving one
// after its difference was shown.

import type { ToolChangeAnswer, ToolChangesAnswer } from '../../../management/server/tool-changes.js'
import type { LocalClient } from '../../calls/local-client.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printList } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'

const marks = { same: ' ', removed: '-', added: '+' } as const

/** Prints those that wait. */
export async function printChanges(client: LocalClient, terminal: Terminal, output: OutputFormat): Promise<void> {
  const value = await changesOf(client)
  printList(
    terminal,
    output,
    { value },
    {
      headings: ['ROUTE', 'TOOL', 'STATE', 'CHANGED', 'APPROVED BEFORE'],
      rows: value.map(({ route, tool, held, changedAt, approvedAt }) => [
        route,
        tool,
        held ? 'held' : 'in use',
        changedAt,
        approvedAt,
      ]),
      empty: 'No tool waits for approval. Definitions are compared where a route says mcp.pins.',
      typed: ['ROUTE', 'TOOL'],
      firstToGo: ['APPROVED BEFORE', 'CHANGED'],
    },
  )
}

/** Shows the difference and approves it. Throws CommandFailure when nothing waits, or nobody says yes. */
export async function approveChange(
  client: LocalClient,
  terminal: Terminal,
  { route, tool, yes }: { route: string; tool: string; yes: boolean },
): Promise<void> {
  const found = (await changesOf(client)).find((one) => one.route === route && one.tool === tool)
  if (found === undefined) {
    const message = `no change of the tool ${tool} of ${route} waits for approval: see portcullis mcp changes`
    throw new CommandFailure(exitCodes.notFound, printable(message))
  }
  const path = `/toolChanges/${encodeURIComponent(found.id)}`
  const { digest, held, difference } = (await client.call('GET', path)) as ToolChangeAnswer
  if (difference === null) {
    terminal.say('One of both definitions is larger than 64 KiB, so only its digest is kept: look at it on its server.')
  } else {
    const lines = difference.map(({ kind, text }) => printable(`${marks[kind]} ${text}`))
    terminal.say(`What the server says of the tool, before (-) and now (+):\n${lines.join('\n')}`)
  }
  terminal.say(held ? 'Nobody can call it until it is approved.' : 'It is in use all the same: the route only reports.')
  await requireConfirmation(terminal, printable(`Approve the new definition of ${tool}?`), yes)
  await client.call('POST', `${path}/approve`, { digest })
  terminal.say(printable(`${tool} of ${route} is approved.`))
}

async function changesOf(client: LocalClient): Promise<ToolChangesAnswer['value']> {
  return ((await client.call('GET', '/toolChanges')) as ToolChangesAnswer).value
}
