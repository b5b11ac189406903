// The one log of a process, made before any listener so that all of them share it.

import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { type LogSettings, type LogStream, loggerOptions } from './log.js'
import { logOutput } from './log-output.js'

/** A logger that writes to `stream`, standard output unless said otherwise; give it to listeners as `{ existing }`. */
export function createLog(settings: LogSettings, stream: LogStream = logOutput()): FastifyBaseLogger {
  const { stream: lines, ...options } = loggerOptions(settings, stream)
  return pino(options, lines) as unknown as FastifyBaseLogger
}
