// `portcullis audit verify`: one part of the ledger after the other, so that a long one says how far it is and goes on
// where it was broken off.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { VerificationAnswer } from '../../../management/audit/audit-schemas.js'
import { verifyOnServer } from '../../calls/audit-calls.js'
import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { type Problem, sayProblem } from './problems.js'
import { forgetProgress, keepProgress, readProgress, type VerifyProgress } from './verify-progress.js'

export interface VerifyOptions extends ConnectionOptions {
  checkpoints?: string
  resume?: string
  part: number
  output: OutputFormat
}

/** As many lines as the server takes at once. */
const linesAtOnce = 4_000

/** Verifies the ledger of a server and prints what was found. Throws CommandFailure, also for a ledger that is not clean. */
export async function verifyLedgerOfServer(options: VerifyOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const answers =
    options.checkpoints === undefined
      ? [await inParts(client, options, terminal)]
      : await withCheckpoints(client, { ...options, checkpoints: options.checkpoints }, terminal)
  const last = answers.at(-1) as VerificationAnswer
  const problems = distinct(answers.flatMap((answer) => answer.problems))
  const whole = { ...last, problems, clean: answers.every(({ clean }) => clean), checkpoints: sum(answers) }
  printRecord(terminal, options.output, whole, [
    { label: 'ledger', value: whole.clean ? 'clean' : 'TAMPERED WITH' },
    { label: 'rows', value: String(whole.count) },
    ...(whole.start === 0 ? [] : [{ label: 'removed', value: `1 to ${whole.start}, by order` }]),
    { label: 'head', value: whole.head },
    { label: 'checkpoints', value: String(whole.checkpoints) },
    ...(options.output === 'json' ? [] : problems.map((problem) => ({ label: 'problem', value: sayProblem(problem) }))),
  ])
  if (!whole.clean) throw new CommandFailure(exitCodes.failed, 'the audit log has been tampered with')
}

/** With the checkpoints of the server itself. Those who may not ask for parts get all of it at once. */
async function inParts(
  client: LocalClient,
  { resume, part }: VerifyOptions,
  terminal: Terminal,
): Promise<VerificationAnswer> {
  const file = resume === undefined ? undefined : resolve(terminal.cwd, resume)
  const before = file === undefined ? undefined : await readProgress(file)
  try {
    const answer = await partsOf(client, terminal, { most: part, before, file })
    if (file !== undefined) await forgetProgress(file)
    return answer
  } catch (error) {
    const isDenied = error instanceof CommandFailure && error.exitCode === exitCodes.denied
    if (!isDenied || file !== undefined) throw error
    return await verifyOnServer(client)
  }
}

interface Parts {
  /** Rows at a time. */
  most: number
  checkpoints?: readonly string[]
  before?: VerifyProgress | undefined
  /** Where to keep how far it came. */
  file?: string | undefined
}

async function partsOf(
  client: LocalClient,
  terminal: Terminal,
  { most, checkpoints, before, file }: Parts,
): Promise<VerificationAnswer> {
  let from = before?.next
  let reached = 0
  const problems: Problem[] = [...(before?.problems ?? [])]
  for (;;) {
    const answer = await verifyOnServer(client, { checkpoints, from, most }).catch((error: unknown) => {
      throw problems.length === 0 ? withAdvice(error, file) : tamperedAlready(problems, error, terminal)
    })
    problems.push(...answer.problems)
    from = answer.next
    if (from === undefined) return { ...answer, problems, clean: answer.clean && problems.length === 0 }
    if (answer.reached <= reached) {
      throw new CommandFailure(exitCodes.failed, `the server does not come beyond row ${number(reached)}`)
    }
    reached = answer.reached
    terminal.say(`${number(reached)} of ${number(answer.count)} rows verified`)
    if (file !== undefined) await keepProgress(file, { next: from, problems: distinct(problems) })
  }
}

/** What was found before something else went wrong is not lost. */
function tamperedAlready(problems: readonly Problem[], error: unknown, terminal: Terminal): CommandFailure {
  for (const problem of distinct(problems)) terminal.say(`problem: ${sayProblem(problem)}`)
  const why = error instanceof Error ? error.message : String(error)
  return new CommandFailure(exitCodes.failed, `the audit log has been tampered with; its rest was not verified: ${why}`)
}

function withAdvice(error: unknown, file: string | undefined): unknown {
  const isUnknown = error instanceof CommandFailure && error.exitCode === exitCodes.usage
  if (file === undefined || !isUnknown) return error
  return new CommandFailure(exitCodes.usage, `${error.message} Without ${file} it begins at the first row.`)
}

/** One answer for each part of the file that the server takes at once. */
async function withCheckpoints(
  client: LocalClient,
  { checkpoints: path, part }: VerifyOptions & { checkpoints: string },
  terminal: Terminal,
): Promise<VerificationAnswer[]> {
  const text = await readFile(resolve(terminal.cwd, path), 'utf8').catch((error: unknown) => {
    // Not 1: that says of the ledger that it was tampered with.
    const why = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new CommandFailure(exitCodes.usage, `${path} cannot be read${why}`)
  })
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) throw new CommandFailure(exitCodes.usage, `${path} has no checkpoints`)
  const answers: VerificationAnswer[] = []
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    const checkpoints = lines.slice(from, from + linesAtOnce)
    const answer = await partsOf(client, terminal, { most: part, checkpoints })
    const problems = answer.problems.map((one) => (one.line === undefined ? one : { ...one, line: one.line + from }))
    answers.push({ ...answer, problems })
  }
  return answers
}

function distinct(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}

function sum(answers: readonly VerificationAnswer[]): number {
  return answers.reduce((total, { checkpoints }) => total + checkpoints, 0)
}

function number(value: number): string {
  return new Intl.NumberFormat('en-GB').format(value)
}
