// Writes the configuration: all of it or nothing, never over what is there, and only what a start in production takes
// (decision 0123).

import { randomBytes } from 'node:crypto'
import { existsSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { makeFolderSync } from '../../observability/folders.js'
import { systemErrorText } from '../../observability/system-error.js'
import { startRefusals } from '../configuration/start-refusals.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { type InitFlags, initAnswers } from './answers.js'
import { type WrittenFile, writtenFiles } from './written-files.js'

export interface InitOptions extends InitFlags {
  listen?: string
}

/** Asks, writes and checks. Throws CommandFailure, with nothing left behind. */
export async function init(folder: string, options: InitOptions, terminal: Terminal): Promise<void> {
  const place = resolve(terminal.cwd, folder)
  refuseWhatIsThere(place)
  const answers = await initAnswers(place, options, terminal)
  const listen = options.listen ?? '0.0.0.0:8443'
  const files = writtenFiles(answers, listen, randomBytes(32))
  const file = join(place, 'portcullis.yaml')
  const undo = writeAll(place, files)
  try {
    await check(file, terminal)
  } catch (error) {
    undo()
    throw error
  }
  const shown = relative(terminal.cwd, file) || file
  for (const { path } of files) terminal.out(`${printable(join(place, path))}\n`)
  terminal.say('Keep a copy of secrets/master-keys apart: without it the database opens nothing.')
  terminal.say(printable(`Start it: portcullis serve --config ${shown}`))
  terminal.say(printable(`Then, for the first owner: portcullis set-up-link --config ${shown}`))
}

function refuseWhatIsThere(place: string): void {
  for (const name of ['portcullis.yaml', 'secrets']) {
    if (!existsSync(join(place, name))) continue
    const message = `${join(place, name)} is there already, and nothing is overwritten: name another folder`
    throw new CommandFailure(exitCodes.usage, message)
  }
}

/** The answer takes back what was made, and nothing that was there before. */
function writeAll(place: string, files: readonly WrittenFile[]): () => void {
  const made: (() => void)[] = []
  const undo = () => {
    for (const one of made.reverse()) one()
  }
  try {
    for (const folder of [place, join(place, 'conf.d'), join(place, 'secrets')]) {
      const first = makeFolderSync(folder, folder.endsWith('secrets') ? 0o700 : 0o755)
      if (first !== undefined) made.push(() => removeEmpty(first, folder))
    }
    for (const { path, text, mode } of files) {
      const target = join(place, path)
      // Who made it meanwhile keeps it.
      writeFileSync(target, text, { mode, flag: 'wx', flush: true })
      made.push(() => rmSync(target, { force: true }))
    }
    return undo
  } catch (error) {
    undo()
    const why = systemErrorText(error) ?? (error instanceof Error ? error.message : String(error))
    throw new CommandFailure(exitCodes.failed, `nothing was written: ${why}`, { cause: error })
  }
}

/** From the innermost to the first that was made; one with something in it stays. */
function removeEmpty(first: string, last: string): void {
  try {
    for (let folder = last; folder.length >= first.length; folder = dirname(folder)) rmdirSync(folder)
  } catch {
    // Somebody has put something there.
  }
}

/** As `portcullis check --mode production` does. */
async function check(file: string, terminal: Terminal): Promise<void> {
  const [{ loadSettings }, { ConfigurationErrors, formatProblem }] = await Promise.all([
    import('../../config/read/load.js'),
    import('../../config/report/problem.js'),
  ])
  try {
    const settings = loadSettings({ file, env: terminal.env, cwd: terminal.cwd })
    const refusals = await startRefusals(settings, terminal)
    if (refusals.length === 0) return
    throw wrong(refusals)
  } catch (error) {
    if (!(error instanceof ConfigurationErrors)) throw error
    throw wrong(error.problems.map((problem) => formatProblem({ ...problem, file: 'portcullis.yaml' })))
  }
}

function wrong(reasons: readonly string[]): CommandFailure {
  return new CommandFailure(
    exitCodes.usage,
    `nothing was written, for a start would refuse it:\n  ${reasons.join('\n  ')}`,
  )
}
