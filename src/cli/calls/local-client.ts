// Speaks the management API to a running server over its local socket. Anybody who may open the socket (0600) is the
// operator, so there is no log-in; a server that is not there is said in one sentence with what to do.

import { request } from 'node:http'
import { socketAddress } from '../../http/connections/socket-address.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { managementAnswer } from './management-answer.js'

export interface LocalClient {
  /**
   * One management call: `path` below /api/v2, `body` sent as JSON when given. Answers the parsed JSON, or undefined
   * for an empty answer. Throws CommandFailure: the server's own message for a refusal, exit code 5 when nobody
   * answers.
   */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<unknown>
  /** Reads something that is to be changed: the answer with its entity tag, if it has one. Throws as `call` does. */
  read(path: string): Promise<{ answer: unknown; tag: string | undefined }>
}

export interface CallOptions {
  /** How long the server may say nothing. */
  patienceMs?: number
  /** An entity tag: the server refuses when the thing is another one by now (RFC 9110 §13.1.1). */
  unlessChangedFrom?: string | undefined
}

const timeoutMs = 30_000
const mostBytes = 64 * 1024 * 1024

/**
 * A client of the server that owns `socketPath`. Opens nothing until called. Throws CommandFailure for a path that is
 * too long.
 */
export function createLocalClient(socketPath: string): LocalClient {
  const address = addressOf(socketPath)
  const ask = async (method: string, path: string, body: unknown, options: CallOptions) => {
    const { patienceMs = timeoutMs, unlessChangedFrom: tag } = options
    const exchangeRequest = { method, path: `/api/v2${path}`, body, patienceMs, tag }
    const answer = await exchange(address, exchangeRequest).catch((error: NodeJS.ErrnoException) => {
      throw unreachable(socketPath, error)
    })
    return { answer: managementAnswer(answer.status, answer.text, socketPath), tag: answer.tag }
  }
  return {
    call: async (method, path, body, options = {}) => (await ask(method, path, body, options)).answer,
    read: async (path) => ask('GET', path, undefined, {}),
  }
}

/** The link's path below /api/v2 and its query, whatever origin it was written with: we stay on the socket. */
export function pathOfLink(link: string): string {
  const { pathname, search } = new URL(link, 'http://localhost')
  return pathname.replace(/^\/api\/v2/, '') + search
}

/** Systems cut a longer path of a socket off without a word, and somebody else may listen at what is left. */
function addressOf(socketPath: string): string {
  try {
    return socketAddress(socketPath)
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, (error as Error).message, { cause: error })
  }
}

interface LocalRequest {
  method: string
  path: string
  body: unknown
  patienceMs: number
  tag: string | undefined
}

function exchange(
  socketPath: string,
  { method, path, body, patienceMs, tag }: LocalRequest,
): Promise<{ status: number; text: string; tag: string | undefined }> {
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const headers: Record<string, string> = { host: 'localhost', accept: 'application/json' }
  if (tag !== undefined) headers['if-match'] = tag
  if (payload !== undefined) {
    headers['content-type'] = 'application/json'
    headers['content-length'] = String(payload.length)
  }
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, headers, timeout: patienceMs, agent: false }, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > mostBytes) response.destroy(new Error('the answer is too long'))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
          tag: response.headers.etag,
        }),
      )
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${patienceMs / 1000} s`)))
    sent.on('error', reject)
    sent.end(payload)
  })
}

function unreachable(socketPath: string, error: NodeJS.ErrnoException): CommandFailure {
  const options = { cause: error }
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    const message = `this user may not open ${socketPath}: run the command as the user that runs Portcullis`
    return new CommandFailure(exitCodes.denied, message, options)
  }
  const absent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTSOCK'
  const message = absent
    ? `the server is not running: nobody answers at ${socketPath}. Start it with: portcullis serve`
    : `the server at ${socketPath} broke off the call: ${error.message}`
  return new CommandFailure(exitCodes.unreachable, message, options)
}
