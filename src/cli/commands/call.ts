// `portcullis call METHOD PATH`: a real HTTPS request to the public address with a real token, so that what it shows is
// what a client would get. The body goes to standard output as it came, the head before it with -i; at a terminal JSON is
// indented and coloured.

import type { Command } from 'commander'
import { headerArgument } from '../arguments.js'
import { addTokenOptions, obtainToken, type TokenOptions } from '../calls/access-token.js'
import { chosenServer, connect } from '../calls/connection.js'
import { type HttpsAnswer, httpsExchange } from '../calls/https-exchange.js'
import { CommandFailure, exitCodeOfStatus, exitCodes } from '../output/exit.js'
import { shellQuoted } from '../output/shell-word.js'
import { printable } from '../output/table.js'
import { argumentText, type Terminal } from '../output/terminal.js'

type Header = [string, string]

interface CallOptions extends TokenOptions {
  data?: string
  header?: Header[]
  include?: boolean
  anonymous?: boolean
}

/** Adds `call`. */
export function addCallCommand(program: Command, terminal: Terminal): void {
  const collect = (value: string, previous: Header[] | undefined) => [...(previous ?? []), headerArgument(value)]
  addTokenOptions(program.command('call').description('call the API through the gate and print the answer'))
    .argument('<method>', 'GET, POST, PUT, PATCH, DELETE …')
    .argument('<path>', 'path and query below the base URL, such as /api/v2/me')
    .option('-d, --data <body>', 'request body; @file reads a file, - standard input; JSON unless -H says otherwise')
    .option('-H, --header <field>', 'header field "Name: value", repeatable', collect)
    .option('-i, --include', 'print the status line and the header fields too')
    .option('--anonymous', 'send no token')
    .addHelpText(
      'after',
      '\nWithout --app and --client-id the token is PORTCULLIS_ACCESS_TOKEN, or that of who is signed in.',
    )
    .action(async (method: string, path: string, options: CallOptions) => {
      await call(method, path, options, terminal)
    })
}

async function call(method: string, path: string, options: CallOptions, terminal: Terminal): Promise<void> {
  const { publicPlace } = await import('../sign-in/public-place.js')
  const place = await publicPlace((await chosenServer(options, terminal))?.server, options, terminal)
  const url = requireOwnUrl(path, place.server)
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method)) throw new CommandFailure(exitCodes.usage, 'that is not a method')
  const body = options.data === undefined ? undefined : await argumentText(options.data, terminal)
  const answer = await httpsExchange({
    method: method.toUpperCase(),
    url,
    headers: await requestHeaders(options, body, terminal),
    ...(body === undefined ? {} : { body }),
    ca: place.ca,
  })
  if (options.include === true) terminal.out(headOf(answer))
  const shown = await bodyFor(terminal, answer)
  terminal.out(shown)
  // Or the prompt, or the message below, would stand at the end of the body's last line.
  if (terminal.interactive && shown.length > 0 && shown.at(-1) !== (typeof shown === 'string' ? '\n' : 10))
    terminal.say('')
  const code = exitCodeOfStatus(answer.status)
  if (code === exitCodes.ok) return
  const next = isOwnToken(options, terminal) ? await nextCommands(answer, { method, path }, options, terminal) : []
  const why =
    answer.status < 502 || options.app === undefined ? [] : [whyCommand(method, path, options.app, options.server)]
  const lines = [`HTTP ${answer.status} ${answer.statusText}`, ...why, ...next]
  throw new CommandFailure(code, lines.map(printable).join('\n'))
}

/** What tells what became of it behind the gate. */
function whyCommand(method: string, path: string, app: string, server: string | undefined): string {
  const at = server === undefined ? '' : ` --server ${shellQuoted(server)}`
  return `Why: portcullis explain ${shellQuoted(method)} ${shellQuoted(path)} --app ${shellQuoted(app)}${at}`
}

/** Whether the token is that of the person who is signed in, as the command line has it. */
function isOwnToken({ app, clientId, anonymous, header = [] }: CallOptions, { env }: Terminal): boolean {
  if (app !== undefined || clientId !== undefined || anonymous === true) return false
  if (env['PORTCULLIS_ACCESS_TOKEN'] || env['PORTCULLIS_CLIENT_ID'] || env['PORTCULLIS_TOKEN']) return false
  return !header.some(([name]) => name.toLowerCase() === 'authorization')
}

async function nextCommands(
  answer: HttpsAnswer,
  { method, path }: { method: string; path: string },
  options: CallOptions,
  terminal: Terminal,
): Promise<readonly string[]> {
  const { commandsToCallAsApplication } = await import('../calls/call-as-application.js')
  const more = options.data !== undefined || options.header !== undefined
  const { server } = options
  return commandsToCallAsApplication(answer, await connect(options, terminal), { method, path, server, more })
}

/** As it came, but JSON that a person reads. */
async function bodyFor(terminal: Terminal, { headers, body }: HttpsAnswer): Promise<Uint8Array | string> {
  if (!terminal.interactive || !/[/+]json\b/i.test(headers['content-type'] ?? '')) return body
  const { prettyJson } = await import('../output/pretty-json.js')
  return prettyJson(body.toString('utf8'), terminal) ?? body
}

/** The token may go to one origin only. A URL that says another one is refused, not followed. */
function requireOwnUrl(path: string, baseUrl: string): URL {
  const url = URL.canParse(path, baseUrl) ? new URL(path, baseUrl) : undefined
  if (url === undefined || url.origin !== new URL(baseUrl).origin || url.username !== '' || url.password !== '') {
    throw new CommandFailure(exitCodes.usage, `${path} is not below ${baseUrl}: the token is sent nowhere else`)
  }
  return url
}

async function requestHeaders(options: CallOptions, body: string | undefined, terminal: Terminal): Promise<Header[]> {
  const given = options.header ?? []
  const names = new Set(given.map(([name]) => name.toLowerCase()))
  const headers: Header[] = names.has('accept') ? [] : [['accept', isRpc(body) ? forMcp : '*/*']]
  if (body !== undefined && !names.has('content-type')) headers.push(['content-type', 'application/json'])
  if (options.anonymous !== true && !names.has('authorization')) {
    headers.push(['authorization', `Bearer ${await tokenFor(options, terminal)}`])
  }
  return [...headers, ...given]
}

/** MCP servers answer 406 to a client that does not name both types (2025-11-25 and 2026-07-28, transports). */
const forMcp = 'application/json, text/event-stream, */*;q=0.1'

/** Whether it is a message of JSON-RPC. */
function isRpc(body: string | undefined): boolean {
  if (body === undefined || !body.includes('"jsonrpc"')) return false
  try {
    return JSON.parse(body)?.jsonrpc === '2.0'
  } catch {
    return false
  }
}

async function tokenFor(options: CallOptions, terminal: Terminal): Promise<string> {
  const ready = terminal.env['PORTCULLIS_ACCESS_TOKEN']
  if (ready && options.app === undefined && options.clientId === undefined) return ready
  return (await obtainToken(options, terminal)).access_token
}

function headOf(answer: HttpsAnswer): string {
  const fields: string[] = []
  for (let i = 0; i + 1 < answer.rawHeaders.length; i += 2) {
    fields.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}\n`)
  }
  return `HTTP/${answer.httpVersion} ${answer.status} ${answer.statusText}\n${fields.join('')}\n`
}
