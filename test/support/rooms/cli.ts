// The command line inside this process, with its streams caught, and a stand-in for the server's local socket.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Terminal } from '../../../src/cli/output/terminal.js'
import { runCommandLine } from '../../../src/cli/program.js'

export interface CommandResult {
  code: number
  out: string
  err: string
}

export interface CommandSurroundings {
  cwd: string
  env?: NodeJS.ProcessEnv
  /** Standard input. */
  input?: string
  /** Whether standard output is a person's terminal. */
  interactive?: boolean
  /** Whether that takes colours. */
  colours?: boolean
  /** Columns of the terminal; absent: there is none. */
  width?: number
  /** Epoch milliseconds; absent: the clock's. */
  now?: number
  /** What the person who sits there answers to every question; absent: nobody does. */
  answer?: string
}

/** Runs one command line; `served` collects what serve and backend were started with. */
export async function runCommand(
  argv: readonly string[],
  { cwd, env = {}, input = '', interactive = false, colours = false, answer, width, now }: CommandSurroundings,
  served: unknown[] = [],
): Promise<CommandResult> {
  const out: Uint8Array[] = []
  const err: string[] = []
  const ask = async (question: string) => {
    err.push(question)
    return answer ?? ''
  }
  const terminal: Terminal = {
    out: (data) => void out.push(Buffer.from(data)),
    say: (message) => void err.push(`${message}\n`),
    env,
    cwd,
    interactive,
    colours,
    width,
    now: () => now ?? Date.now(),
    input: async () => input,
    ...(answer === undefined ? {} : { ask }),
  }
  const started = async (options: unknown) => void served.push(options)
  const code = await runCommandLine({ serve: started, backend: started, version: '9.8.7', terminal }, argv)
  return { code, out: Buffer.concat(out).toString('utf8'), err: err.join('') }
}

export interface SocketRequest {
  method: string
  /** Path and query. */
  path: string
  body: unknown
}

export interface SocketAnswer {
  status?: number
  /** Sent as JSON; absent: an empty body. */
  json?: unknown
  /** Sent as it is, instead of `json`. */
  text?: string
}

/** Answers on a Unix socket with what `answer` says, and keeps the requests. */
export async function socketServer(
  socketPath: string,
  answer: (request: SocketRequest) => SocketAnswer | 'hang up',
): Promise<{ requests: SocketRequest[]; close: () => Promise<void> }> {
  const requests: SocketRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const received = {
        method: request.method ?? '',
        path: request.url ?? '',
        body: text === '' ? undefined : JSON.parse(text),
      }
      requests.push(received)
      const given = answer(received)
      if (given === 'hang up') return void request.socket.destroy()
      response.writeHead(given.status ?? 200, { 'content-type': 'application/json' })
      response.end(given.text ?? (given.json === undefined ? '' : JSON.stringify(given.json)))
    })
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  return { requests, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** A refusal as the management API writes it. */
export function apiError(status: number, code: string, message: string, more: object = {}): SocketAnswer {
  return { status, json: { error: { code, message, ...more, innerError: { 'request-id': 'the-request-id' } } } }
}

/** Commands in a folder of their own, against a server that knows these answers by `METHOD path` and nothing else. */
export async function commandsAgainst(
  t: { teardown(work: () => unknown): void },
  answers: Readonly<Record<string, object>>,
) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path }) => {
    const json = answers[`${method} ${path}`]
    return json === undefined ? apiError(404, 'NotFound', `nothing at ${path}`) : { json }
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  return { cwd, requests: server.requests, run: (line: string) => runCommand(line.split(' '), { cwd, env }) }
}
