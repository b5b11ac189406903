// The file in which `audit verify --resume` keeps how far it came. The server has sealed the place; what was wrong
// before it is kept beside.

import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { auditAnswers } from '../../../management/audit/audit-schemas.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'

const progress = Type.Object({
  /** `next` of the last answer. */
  next: Type.String({ minLength: 1, maxLength: 1_024 }),
  problems: auditAnswers.verification.properties.problems,
})

export type VerifyProgress = Static<typeof progress>

/** Undefined when there is no file. Throws CommandFailure for one that holds something else. */
export async function readProgress(file: string): Promise<VerifyProgress | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (Value.Check(progress, read)) return read
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (!(error instanceof SyntaxError)) throw unusable(file, (error as Error).message)
  }
  throw unusable(file, 'it is no file of audit verify --resume')
}

/** Replaces the file in one step. Throws CommandFailure when it cannot be written. */
export async function keepProgress(file: string, kept: VerifyProgress): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify(kept)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw unusable(file, (error as Error).message)
  }
}

/** Nothing is left to go on with. */
export async function forgetProgress(file: string): Promise<void> {
  await rm(file, { force: true })
}

function unusable(file: string, why: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, `${file} cannot be used: ${why}`)
}
