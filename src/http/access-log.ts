// The one line that every request leaves in the log. Put together here and handed to the logger's own stream: the
// logger itself takes eight times as long for it, which would be the dearest thing that is done for a proxied request.

import type { FastifyBaseLogger } from 'fastify'
import { symbols } from 'pino'
import { createTimestamp, type LogStream } from '../observability/log.js'
import { requestMessage } from '../observability/request-line.js'

/** Values are as they are in the request's facts; what is undefined is left out. */
export interface AccessLine {
  requestId: string
  traceId: string
  clientRequestId: string | undefined
  method: string
  /** A configured id. */
  route: string
  /** Masked and canonical, without a query. */
  path: string | undefined
  status: number
  durationMs: number
  /** Of the peer, or what a trusted proxy said, if that is an address. */
  address: string
  applicationId: string | undefined
  userId: string | undefined
  reason: string | undefined
  /** Of a message to an MCP server. */
  operation: string | undefined
  permissions: readonly string[] | undefined
}

/** What a logger of pino has beyond Fastify's. */
interface PinoLogger {
  [symbols.streamSym]: LogStream
  bindings(): object
  isLevelEnabled(level: string): boolean
}

/** Writes such lines as `log` would, with what it says in every line of its own. */
export function createAccessLog(log: FastifyBaseLogger): (line: AccessLine) => void {
  const own = log as FastifyBaseLogger & Partial<PinoLogger>
  const stream = own[symbols.streamSym]
  if (stream === undefined) return (line) => log.info(line, requestMessage)
  const timestamp = createTimestamp()
  const always = JSON.stringify(own.bindings?.() ?? {}).slice(1, -1)
  const head = `${always === '' ? '' : `,${always}`},"requestId":"`
  return (line) => {
    if (own.isLevelEnabled?.('info') === false) return
    stream.write(`{"level":"info"${timestamp()}${head}${fieldsOf(line)}${end}`)
  }
}

const end = `,"msg":"${requestMessage}"}\n`

/**
 * Of a line, behind the begin of its first value. Identifiers, methods and numbers of ours hold nothing that JSON would
 * escape; what an operator or a client wrote may. In as few pieces as can be: a text of many is dear to write.
 */
function fieldsOf(line: AccessLine): string {
  const { requestId, traceId, clientRequestId, path, status, durationMs, address, reason, operation } = line
  const client = clientRequestId === undefined ? '' : `,"clientRequestId":"${clientRequestId}"`
  const at = path === undefined ? '' : `,"path":${quoted(path)}`
  const why = reason === undefined ? '' : `,"reason":${quoted(reason)}`
  const times = `,"status":${status},"durationMs":${durationMs},"address":"${address}"`
  const message = operation === undefined ? '' : operated(line)
  return `${requestId}","traceId":"${traceId}"${client}${routed(line)}${at}${times}${whose(line)}${message}${why}`
}

/** Both change little from one line to the next. */
const routed = lastOf(
  ({ method, route }: AccessLine) => `,"method":"${method}","route":${quoted(route)}`,
  (a, b) => a.method === b.method && a.route === b.route,
)
const whose = lastOf(
  ({ applicationId, userId }: AccessLine) =>
    (applicationId === undefined ? '' : `,"applicationId":${quoted(applicationId)}`) +
    (userId === undefined ? '' : `,"userId":${quoted(userId)}`),
  (a, b) => a.applicationId === b.applicationId && a.userId === b.userId,
)

const operated = lastOf(
  ({ operation = '', permissions }: AccessLine) =>
    `,"operation":${quoted(operation)}` +
    (permissions === undefined ? '' : `,"permission":${quoted(permissions.join(' '))}`),
  (a, b) => a.operation === b.operation && a.permissions === b.permissions,
)

/** Made anew when it is not the same as for the line before. */
function lastOf(make: (line: AccessLine) => string, isSame: (a: AccessLine, b: AccessLine) => boolean) {
  let last: AccessLine | undefined
  let made = ''
  return (line: AccessLine): string => {
    if (last === undefined || !isSame(last, line)) made = make(line)
    last = line
    return made
  }
}

const needsNoEscape = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** As JSON has it. */
function quoted(text: string): string {
  return needsNoEscape.test(text) ? `"${text}"` : JSON.stringify(text)
}
