// How this process logs: one JSON object a line, or readable lines on a terminal. What must never be in a log is taken
// out by name here as the last net; nobody passes tokens, secrets, bodies or queries to the log in the first place.

import { stdSerializers } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { requestLine } from './request-line.js'

export interface LogSettings {
  level: string
  /** `auto`: readable when the stream is a terminal. */
  format: 'auto' | 'json' | 'pretty'
}

/** Where lines go; process.stdout is one. */
export interface LogStream {
  write(line: string): void
  isTTY?: boolean
}

const secretNames = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'client_secret',
  'clientSecret',
  'client_assertion',
  'access_token',
  'refresh_token',
  'id_token',
  'id_token_hint',
  'token',
  'secret',
  'code',
  'code_verifier',
  'password',
])

/** Options for Fastify's `logger`. Times are ISO 8601 in UTC; no process id or host name, which the platform adds. */
export function loggerOptions(settings: LogSettings, stream: LogStream = process.stdout) {
  const readable = settings.format === 'pretty' || (settings.format === 'auto' && stream.isTTY === true)
  return {
    level: settings.level,
    base: null,
    timestamp: createTimestamp(),
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => withoutSecrets(fields, deepest),
    },
    serializers: { err: (error: Error) => withoutSecrets(plainError(error), deepest) },
    stream: readable ? readableLines(stream) : stream,
  }
}

/** The member of a line that says when; made once for each millisecond, because a busy gate writes ten lines in one. */
export function createTimestamp(): () => string {
  let madeAt = Number.NaN
  let made = ''
  return () => {
    const now = Date.now()
    if (now !== madeAt) {
      madeAt = now
      made = `,"time":"${new Date(now).toISOString()}"`
    }
    return made
  }
}

/** Levels of nested objects that are looked through; what lies deeper is not logged by anyone. */
const deepest = 4

/**
 * The same fields with secrets masked, copied only when there was one: pino's own redaction by wildcard costs 60 µs a
 * line.
 */
function withoutSecrets(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  let masked: Record<string, unknown> | undefined
  for (const name in fields) {
    const value = fields[name]
    const shown = secretNames.has(name) ? mask(value) : depth > 0 ? inside(value, depth - 1) : value
    if (shown === value) continue
    masked ??= { ...fields }
    masked[name] = shown
  }
  return masked ?? fields
}

function mask(value: unknown): unknown {
  return value === undefined ? undefined : '***'
}

function inside(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (Array.isArray(value)) return value.map((item) => inside(item, depth))
  return withoutSecrets(value as Record<string, unknown>, depth)
}

/** An error's `code` says what kind it is (EADDRINUSE); it is not an authorization code. */
function plainError(error: Error): Record<string, unknown> {
  const { code, ...fields } = stdSerializers.err(error) as Record<string, unknown>
  return code === undefined ? fields : { ...fields, errorCode: code }
}

/** A line each: of a request what one looks for first, of all else the message with its fields. */
function readableLines(stream: LogStream): LogStream {
  const colour = stream.isTTY === true
  const readable = prettyFactory({ colorize: colour, singleLine: true })
  return { write: (line) => stream.write(requestLine(line, colour) ?? String(readable(line))) }
}
