// How a command ends. Scripts read these numbers, so they never change meaning; `portcullis --help` lists them.

export const exitCodes = { ok: 0, failed: 1, usage: 2, notFound: 3, denied: 4, unreachable: 5 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * A command that could not do what was requested. `message` is for the person: a sentence, and what to do where we
 * know.
 */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CommandFailure'
    this.exitCode = exitCode
  }
}

/** The exit code that an HTTP status of ours means: 400 is a wrong argument, 503 something that is not there now. */
export function exitCodeOfStatus(status: number): ExitCode {
  if (status < 400) return exitCodes.ok
  if (status === 400 || status === 422) return exitCodes.usage
  if (status === 401 || status === 403) return exitCodes.denied
  if (status === 404) return exitCodes.notFound
  return status >= 502 && status <= 504 ? exitCodes.unreachable : exitCodes.failed
}
