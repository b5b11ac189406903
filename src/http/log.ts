// How this process logs: one JSON object a line, or readable lines on a terminal. What must never be in a log is taken
// out by name here as the last net; nobody passes tokens, secrets, bodies or queries to the log in the first place.

import { prettyFactory } from 'pino-pretty'

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

const secretNames = [
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
]

/** Options for Fastify's `logger`. Times are ISO 8601 in UTC; no process id or host name, which the platform adds. */
export function loggerOptions(settings: LogSettings, stream: LogStream = process.stdout) {
  const readable = settings.format === 'pretty' || (settings.format === 'auto' && stream.isTTY === true)
  return {
    level: settings.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), censor: '***' },
    stream: readable ? readableLines(stream) : stream,
  }
}

function readableLines(stream: LogStream): LogStream {
  const readable = prettyFactory({ colorize: stream.isTTY === true })
  return { write: (line) => stream.write(String(readable(line))) }
}
