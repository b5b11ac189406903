// The options with which a command reaches an MCP server, and the place that they name.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { McpPlace } from '../../../mcp-client/exchange.js'
import { durationSeconds, headerArgument } from '../../arguments.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'

export interface ServerOptions {
  tokenFile?: string
  header?: (readonly [string, string])[]
  ca?: string
  /** Seconds. */
  timeout: number
}

/** Adds them. */
export function addServerOptions(command: Command): Command {
  const collect = (value: string, previous: (readonly [string, string])[] | undefined) => [
    ...(previous ?? []),
    headerArgument(value),
  ]
  return command
    .option('--token-file <file>', 'file with a bearer token for the MCP server; - is standard input')
    .option('-H, --header <field>', 'header field for the MCP server, "Name: value", repeatable', collect)
    .option('--ca <file>', "authorities to trust for the MCP server's certificate, PEM")
    .option('--timeout <duration>', 'how long one server may take for all of its answers', durationSeconds, 30)
}

/** The address of a server, checked. Throws CommandFailure. */
export function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CommandFailure(exitCodes.usage, `${text} is no address of an MCP server: write http(s)://host:port/path`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommandFailure(exitCodes.usage, 'the address holds a password: give it with -H "Authorization: …"')
  }
  if (url.search !== '' || url.hash !== '') {
    throw new CommandFailure(exitCodes.usage, 'the address of an MCP server has no query and no fragment here')
  }
  return url
}

/** What the options say of a server at `at`. Throws CommandFailure for what would send a secret in the clear. */
export async function placeOf(
  at: Pick<McpPlace, 'url'> & Partial<Pick<McpPlace, 'socketPath' | 'tls'>>,
  options: ServerOptions,
  terminal: Terminal,
): Promise<McpPlace> {
  const { url, socketPath, tls = {} } = at
  const { tokenFile, header = [], ca, timeout } = options
  const isPrivate = url.protocol === 'https:' || socketPath !== undefined || isLoopback(url.hostname)
  if (!isPrivate && (tokenFile !== undefined || header.length > 0)) {
    const message = `${url.origin} is neither https nor this machine: --token-file and -H are not sent there`
    throw new CommandFailure(exitCodes.usage, message)
  }
  const token = tokenFile === undefined ? undefined : await tokenIn(tokenFile, terminal)
  return {
    url,
    ...(socketPath === undefined ? {} : { socketPath }),
    tls: ca === undefined ? tls : { ...tls, ca: await textOf(ca, terminal, 'the authorities') },
    fields: [...header, ...(token === undefined ? [] : [['authorization', `Bearer ${token}`] as const])],
    signal: AbortSignal.timeout(timeout * 1000),
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

async function tokenIn(file: string, terminal: Terminal): Promise<string> {
  const text = file === '-' ? await terminal.input() : await textOf(file, terminal, 'the token')
  const token = text.trim()
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new CommandFailure(exitCodes.usage, 'there is no token in it: one line of visible characters')
}

async function textOf(file: string, { cwd }: Terminal, what: string): Promise<string> {
  return readFile(resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = `${what} cannot be read: ${error.code ?? error.message}`
    throw new CommandFailure(exitCodes.usage, message, { cause: error })
  })
}
