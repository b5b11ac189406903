// Files for this user alone: in a folder of mode 0700, written whole or not at all, never read when others could have.

import { chmod, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { makeFolder } from '../../observability/folders.js'
import { isDenied, isNotThere } from '../configuration/own-files.js'
import { CommandFailure, exitCodes } from '../output/exit.js'

/** `$XDG_CONFIG_HOME/portcullis`; a relative one is ignored, as the XDG base directory specification says. */
export function privateFolder(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME']
  const home = env['HOME'] || homedir()
  return join(base !== undefined && isAbsolute(base) ? base : join(home, '.config'), 'portcullis')
}

/**
 * The text of a file; undefined when there is none. Throws CommandFailure when others than its owner may read it, or
 * this user may not.
 */
export async function readPrivate(path: string): Promise<string | undefined> {
  const found = await stat(path).catch((error: unknown) => absent(error, path))
  if (found === undefined) return undefined
  if ((found.mode & 0o077) !== 0) {
    const message = `${path} can be read by others, and holds what lets you in: chmod 600 it, or sign in again`
    throw new CommandFailure(exitCodes.usage, message)
  }
  return await readFile(path, 'utf8').catch((error: unknown) => absent(error, path))
}

/** Replaces the file in one step, so that a reader sees the old text or the new one. */
export async function writePrivate(folder: string, name: string, text: string): Promise<void> {
  await makeFolder(folder, 0o700)
  await chmod(folder, 0o700)
  const draft = join(folder, `.${name}.${process.pid}.${Date.now()}`)
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await rename(draft, join(folder, name))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

function absent(error: unknown, path: string): undefined {
  if (isNotThere(error)) return undefined
  if (!isDenied(error)) throw error
  const advice = 'sign-ins are kept below HOME (XDG_CONFIG_HOME): set it to a folder of this user'
  throw new CommandFailure(exitCodes.denied, `this user may not read ${path}: ${advice}`, { cause: error })
}
