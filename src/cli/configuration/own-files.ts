// Files of the server that a command reads itself: not there is one thing, and not for this user another.

import { accessSync, constants } from 'node:fs'
import { CommandFailure, exitCodes } from '../output/exit.js'

/**
 * Whether this user may read what is at the path; false: nothing is there. Throws CommandFailure when they may not, and
 * what else the file system says.
 */
export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch (error) {
    requireAbsent(error, path)
    return false
  }
}

/**
 * Returns where an error of reading `path` says that nothing is there. Throws CommandFailure where it is not for this
 * user, and every other error as it is.
 */
export function requireAbsent(error: unknown, path: string): void {
  if (isNotThere(error)) return
  if (!isDenied(error)) throw error
  const message = `this user may not read ${path}: run this as the user that runs Portcullis`
  throw new CommandFailure(exitCodes.denied, message, { cause: error })
}

/** Whether the file system says that there is nothing at the path. */
export function isNotThere(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Whether the file system says that the path is not for this user. */
export function isDenied(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'EACCES' || code === 'EPERM'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
