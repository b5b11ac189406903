// An answer of the management API as a command takes it, whichever way it came.

import { CommandFailure, type ExitCode, exitCodeOfStatus, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'

/** A refusal of the server, in its own words; `code` is the one of its answer. */
export class ServerRefusal extends CommandFailure {
  readonly code: string

  constructor(exitCode: ExitCode, message: string, code: string) {
    super(exitCode, message)
    this.code = code
  }
}

/**
 * The parsed JSON, or undefined for an empty answer. Throws CommandFailure: the server's own message for a refusal.
 * `where` names who answered, for something that is not Portcullis.
 */
export function managementAnswer(status: number, text: string, where: string): unknown {
  const parsed = parseJson(text)
  if (status >= 400) throw refusal(status, parsed)
  if (parsed === undefined && text !== '') {
    throw new CommandFailure(exitCodes.failed, `what answers at ${where} is not Portcullis`)
  }
  return parsed
}

function refusal(status: number, parsed: unknown): CommandFailure {
  const error = recordOf(recordOf(parsed)?.['error'])
  const message = error?.['message']
  if (typeof message !== 'string') return new CommandFailure(exitCodeOfStatus(status), `the server answered ${status}`)
  const details = Array.isArray(error?.['details']) ? error['details'] : []
  const lines = details.flatMap((detail) => {
    const text = recordOf(detail)?.['message']
    return typeof text === 'string' && text !== message ? [`  ${printable(text)}`] : []
  })
  const requestId = recordOf(error?.['innerError'])?.['request-id']
  const suffix =
    typeof requestId === 'string' ? ` (${printable(String(error?.['code']))}, request ${printable(requestId)})` : ''
  const advice = status === 503 ? ['  What is away is shown by: portcullis status'] : []
  const said = [`${printable(message)}${suffix}`, ...lines, ...advice].join('\n')
  return new ServerRefusal(exitCodeOfStatus(status), said, String(error?.['code']))
}

function parseJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}
