// The command line as another user of this machine, for what is refused to them.

import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { plainEnvironment } from '../settings/plain-environment.js'
import { programWords } from './program.js'

const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

/** Why it cannot be run here; false where it can: by root, with a program that everybody may read. */
export function noOtherUser(): string | false {
  if (process.getuid?.() !== 0) return 'only root may be another user'
  const [program = '', ...words] = [...nobody, ...programWords(), '--version']
  const { status } = spawnSync(program, words, { cwd: '/', env: { ...plainEnvironment(), HOME: '/nonexistent' } })
  return status === 0 ? false : 'nobody else may read this program'
}

/** Runs a command line as a user who owns nothing, with a home folder that is not there. */
export async function runAsOther(line: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const [program = '', ...words] = [...nobody, ...programWords(), ...line.split(' ')]
  const env = { ...plainEnvironment(), HOME: '/nonexistent', ...options.env }
  const child = spawn(program, words, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}
