// A program with something in its store, for tests that start a later one on an earlier state of it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { decided } from '../traffic/until.js'
import { call, demoToken, portcullis } from './demo.js'
import { type Program, startProgram } from './program.js'

/** Tables whose rows are written by every start, or by the clock. */
export const movingTables: ReadonlySet<string> = new Set([
  ...['schema_migrations', 'sqlite_sequence', 'instances', 'history_slots', 'leases', 'feed_gaps'],
])

/** A socket's path has room for 103 bytes: tap's own folders are named after the whole test. */
export function shortFolder(t: Pick<Test, 'teardown'>): string {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  return cwd
}

export interface FilledProgram {
  /** Stopped. */
  first: Program
  headers: { authorization: string }
  ports: { public: number; operator: number }
}

/**
 * Starts a program, registers a tenant and two applications, takes a token, and stops. It throws and asserts nothing: a
 * file does this before its first test.
 */
export async function fillProgram(t: Pick<Test, 'teardown'>, env: NodeJS.ProcessEnv = {}): Promise<FilledProgram> {
  const first = await startProgram({ cwd: shortFolder(t), env })
  t.teardown(() => first.stop('SIGKILL'))
  for (const words of [
    ['tenant', 'create', 'Fabrikam'],
    ['app', 'create', 'Reports', '--permission', 'Subscription.Read.All', '--consent'],
    ['app', 'create', 'Portal', '--type', 'web', '--redirect-uri', 'https://app.example.com/callback'],
  ]) {
    const { code, stderr } = await portcullis(first, words)
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
  }
  const headers = { authorization: `Bearer ${await demoToken(first)}` }
  await first.stop()
  const ports = { public: Number(new URL(first.baseUrl).port), operator: Number(new URL(first.operatorUrl).port) }
  return { first, headers, ports }
}

/** What was there goes on: the token of before, the registrations, and the audit log where there was one. */
export async function goesOn(
  t: Test,
  program: Program,
  headers: FilledProgram['headers'],
  hasLedger: boolean,
): Promise<void> {
  const answer = await decided(() => call(program, '/api/v2/subscriptions', { headers }))
  t.equal(answer.status, 200, `a token of before goes on: ${answer.body}`)
  const { code, stdout, stderr } = await portcullis(program, ['app', 'list'])
  t.match([code, stdout], [0, /Reports/], `and what was registered is there: ${stderr}`)
  if (!hasLedger) return
  const verified = await portcullis(program, ['audit', 'verify'])
  t.equal(verified.code, 0, `the audit log verifies: ${verified.stdout}${verified.stderr}`)
}

/** A program on a schema of a later version ends at once, and says what to do. */
export async function refusesLaterSchema(t: Test, start: () => Promise<Program>, later: number): Promise<void> {
  const refused = await start().then(
    (program) => program.stop('SIGKILL').then(() => ''),
    (error: Error) => error.message,
  )
  t.match(refused, new RegExp(`schema version ${later}, this program knows ${later - 1}`), 'an earlier program ends')
  t.match(refused, /start the version of Portcullis that made it so, or restore a backup/, 'and says what to do')
  t.notMatch(refused, /\n\s+at /, 'without a stack')
}
