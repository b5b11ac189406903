// A terminal as a newcomer has it: one shell for each, in which blocks of the documentation are pasted one after the
// other, so that what one of them exports or names is there for the next.

import { type ChildProcess, spawn } from 'node:child_process'
import { plainEnvironment } from '../../support/settings/plain-environment.js'
import { until } from '../../support/traffic/until.js'

/** For a step that waits on npm, a build or a start, on a machine that has other things to do. */
const patientMs = 300_000
/** Printed behind a block, with its status. */
const mark = '~~~ended'

export interface Terminal {
  /** Pastes a block and waits for its end; what it printed. Throws when it ends with anything but 0. */
  paste(block: string): Promise<string>
  /** Pastes a block that goes on, and waits until what it has printed is enough. What it printed. */
  leave(block: string, isEnough: (printed: string) => boolean | Promise<boolean>): Promise<string>
  close(): Promise<void>
}

/** Opens one in that folder. */
export function openTerminal(cwd: string): Terminal {
  // Nothing of this checkout is in it: the newcomer has another one.
  const env = { ...plainEnvironment(), NODE_OPTIONS: undefined, TSX_TSCONFIG_PATH: undefined }
  const shell = spawn('sh', [], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const write = (block: string) => {
    printed = ''
    // What a command would read is not the next block.
    shell.stdin.write(`{\n${block}\n} </dev/null; printf '\\n%s\\n' "${mark} $?"\n`)
  }
  const ended = () => new RegExp(`^${mark} (\\d+)$`, 'm').exec(printed)
  return {
    async paste(block) {
      write(block)
      await until(`an end of\n${block}`, () => ended() !== null, patientMs)
      const said = printed.replace(new RegExp(`^${mark}.*\n`, 'm'), '')
      if (ended()?.[1] !== '0') throw new Error(`${block}\nended with ${ended()?.[1]}:\n${said}`)
      return said
    },
    async leave(block, isEnough) {
      write(block)
      await until(`enough of\n${block}`, async () => ended() !== null || (await isEnough(printed)), patientMs)
      if (ended() !== null) throw new Error(`${block}\nended:\n${printed}`)
      return printed
    },
    close: () => close(shell),
  }
}

/** Ends it and everything that was started in it. */
async function close(shell: ChildProcess): Promise<void> {
  if (shell.exitCode !== null || shell.pid === undefined) return
  const gone = new Promise((resolve) => shell.once('exit', resolve))
  process.kill(-shell.pid, 'SIGTERM')
  await gone
}
