// An MCP server as commands read it: what goes wrong ends a command.

import type { McpPlace } from '../../mcp-client/exchange.js'
import { type FailureKind, McpFailure } from '../../mcp-client/failure.js'
import { type McpServer, readServer as read } from '../../mcp-client/server.js'
import { CommandFailure, type ExitCode, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'

/** How a command ends, and which of its options help. */
const ends: Readonly<Record<FailureKind, readonly [exitCode: ExitCode, hint: string]>> = {
  unreachable: [exitCodes.unreachable, ''],
  late: [exitCodes.unreachable, ': see --timeout'],
  untrusted: [exitCodes.unreachable, ' (trust its authority with --ca)'],
  denied: [exitCodes.denied, ': give a token that it takes with --token-file, or a header field with -H'],
  foreign: [
    exitCodes.failed,
    '. Is that the path of its MCP endpoint, such as /mcp? It has to speak Streamable HTTP: HTTP+SSE and stdio cannot be read',
  ],
  failed: [exitCodes.failed, ''],
}

/** As mcp-client/server.ts. Throws CommandFailure. */
export async function readServer(place: McpPlace, client: string): Promise<McpServer> {
  try {
    return await read(place, client)
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error
    const [exitCode, hint] = ends[error.kind]
    throw new CommandFailure(exitCode, printable(error.message) + hint, { cause: error })
  }
}
