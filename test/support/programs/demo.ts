// What the flows need of a running program: its demo credential, calls over TLS, and its own command line.

import { spawn } from 'node:child_process'
import { Agent, request } from 'node:https'
import { plainEnvironment } from '../settings/plain-environment.js'
import { type Program, programWords } from './program.js'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface CallOptions {
  method?: string
  headers?: Record<string, string>
  body?: string
  agent?: Agent
}

/** The demo application's identifier and secret, cut from the first start's banner. */
export function demoCredential(program: Program): { clientId: string; clientSecret: string } {
  const [, clientId = '', clientSecret = ''] = /client_id=(\S+) -d client_secret=(\S+)/.exec(program.output()) ?? []
  return { clientId, clientSecret }
}

/** One HTTPS request to the program, on `agent`'s kept-alive connection when there is one. */
export function call(program: Program, path: string, options: CallOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = new URL(path, program.baseUrl)
    const outgoing = request(
      url,
      { method: options.method ?? 'GET', headers: options.headers, agent: options.agent, ca: program.ca() },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
        incoming.on('error', reject)
      },
    )
    outgoing.once('error', reject)
    outgoing.end(options.body)
  })
}

/** A token request with these form fields. */
export function tokenRequest(
  program: Program,
  fields: Record<string, string>,
  path = '/api/v2/oauth2/v2.0/token',
): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return call(program, path, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
}

/** A token of the demo application for all that it has consent for. Throws when it is refused. */
export async function demoToken(program: Program, more: Record<string, string> = {}): Promise<string> {
  const { clientId, clientSecret } = demoCredential(program)
  const fields = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'default',
    ...more,
  }
  const answer = await tokenRequest(program, fields)
  const token: unknown = JSON.parse(answer.body).access_token
  if (typeof token !== 'string') throw new Error(answer.body)
  return token
}

/** `portcullis …` in the program's folder. */
export function portcullis(
  program: Program,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [node = '', ...first] = programWords()
  return new Promise((resolve) => {
    const child = spawn(node, [...first, ...words], {
      cwd: program.cwd,
      env: { ...plainEnvironment(), ...program.env, NO_COLOR: '1', ...env },
    })
    const out: string[] = []
    const err: string[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()))
    child.once('close', (code) => resolve({ code: code ?? -1, stdout: out.join(''), stderr: err.join('') }))
  })
}

/** An agent with one kept-alive connection, closed by its owner. */
export function keptAlive(program: Program): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1, ca: program.ca() })
}
