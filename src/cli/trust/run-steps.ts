// Runs the commands of a store, each with a deadline, and says in a sentence why one failed.

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { printable } from '../output/table.js'
import type { Step } from './stores.js'

/** A person may have to type a password. */
const deadlineMs = 120_000
const mostOutput = 4_096

/** The words of the step as they would be run by this user. */
export function commandOf({ command, asRoot }: Step, isRoot: boolean): string[] {
  return asRoot && !isRoot ? ['sudo', ...command] : [...command]
}

/** The command as a shell takes it. */
export function shellText(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}

/** Whether a program is on the path. */
export function isInstalled(program: string, path: string | undefined): boolean {
  return (path ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return folder !== ''
    } catch {
      return false
    }
  })
}

/** Runs them in order up to the first that fails; answers why it did, undefined when all is done. */
export async function runSteps(
  steps: readonly Step[],
  { isRoot, env }: { isRoot: boolean; env: NodeJS.ProcessEnv },
): Promise<string | undefined> {
  for (const step of steps) {
    const failure = await run(commandOf(step, isRoot), env)
    if (failure !== undefined && step.mayFail !== true) return failure
  }
  return undefined
}

function run([program = '', ...rest]: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: ['inherit', 'ignore', 'pipe'], env, timeout: deadlineMs })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-mostOutput)
    })
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? `${program} is not installed` : `${program}: ${error.message}`),
    )
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(undefined)
      const last = said.trim().split('\n').at(-1) ?? ''
      resolve(printable(`${program} ended with ${code ?? signal}${last === '' ? '' : `: ${last}`}`))
    })
  })
}
