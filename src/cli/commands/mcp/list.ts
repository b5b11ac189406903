// `portcullis mcp list`: asks the server what it has, and prints what that would be in the configuration.

import { resolve } from 'node:path'
import { nameFrom, proposeMcp } from '../../mcp/proposal.js'
import { readServer } from '../../mcp/read-server.js'
import { mcpProposalText } from '../../mcp/text.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from '../server/settings-file.js'
import { placeOf, type ServerOptions, serverUrl } from './server-options.js'

export interface McpListOptions extends ServerOptions {
  config?: string
  name?: string
  path?: string
  baseUrl?: string
}

/** The YAML. Throws CommandFailure with what is wrong with an option, or with the server. */
export async function proposeFromServer(
  server: string,
  options: McpListOptions,
  { terminal, version }: { terminal: Terminal; version: string },
): Promise<string> {
  const url = serverUrl(server)
  if (options.name !== undefined && !/^[a-z][a-z0-9-]{0,63}$/.test(options.name)) {
    throw refused('--name is lower-case letters, digits and hyphens, beginning with a letter')
  }
  const baseUrl = await baseUrlOf(options, terminal)
  const found = await readServer(await placeOf({ url }, options, terminal), version)
  const name = options.name ?? nameFrom(found.title, url)
  const path = options.path ?? `/${name}/mcp`
  const ca = options.ca === undefined ? undefined : resolve(terminal.cwd, options.ca)
  const proposal = proposeMcp(found, { name, path, baseUrl, url, ca })
  if (typeof proposal === 'string') throw refused(proposal)
  return mcpProposalText(proposal, url.href)
}

async function baseUrlOf({ baseUrl, config }: McpListOptions, terminal: Terminal): Promise<string> {
  if (baseUrl === undefined) {
    return (await readSettings(config === undefined ? {} : { config }, terminal)).server.baseUrl
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url?.protocol === 'https:' && [url.origin, `${url.origin}/`].includes(baseUrl)) return url.origin
  throw refused('--base-url is an https origin, such as https://api.example.com')
}

function refused(message: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, message)
}
